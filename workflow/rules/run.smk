# One cell: a method on all splits of a data set. The modules that the method is made of are inputs, so that an
# edited method leaves no old result standing. Methods that look at the same neighbours share one search.


rule search:
    input:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        splits=splits_file,
        modules=modules("labelknn_papers.run.search"),
    output:
        neighbors=f"{DATA}/neighbors/{{protocol}}/{{dataset}}/{{preprocessing}}-{{k}}-{{rows}}.npz",
    log:
        "logs/search/{protocol}/{dataset}/{preprocessing}-{k}-{rows}.log",
    benchmark:
        f"{DATA}/benchmarks/search/{{protocol}}/{{dataset}}/{{preprocessing}}-{{k}}-{{rows}}.tsv"
    wildcard_constraints:
        k="\\d+",
        rows="all-rows|test-rows",
    conda:
        ENVIRONMENT
    script:
        "../scripts/search.py"


rule run:
    input:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        splits=splits_file,
        neighbors=neighbors_file,
        modules=cell_modules,
    output:
        predictions=f"{DATA}/predictions/{{protocol}}/{{dataset}}/{{method}}.npz",
        provenance=f"{DATA}/predictions/{{protocol}}/{{dataset}}/{{method}}.json",
        times=f"{DATA}/times/{{protocol}}/{{dataset}}/{{method}}.csv",
    log:
        "logs/run/{protocol}/{dataset}/{method}.log",
    benchmark:
        f"{DATA}/benchmarks/run/{{protocol}}/{{dataset}}/{{method}}.tsv"
    conda:
        ENVIRONMENT
    params:
        method=lambda wildcards: PLAN.methods[wildcards.method],
        seed=config["seed"],
        missing=lambda wildcards: PLAN.protocols[wildcards.protocol].missing,
    script:
        "../scripts/run.py"
