# One cell: an algorithm on all splits of a data set. The modules that the algorithm is made of are inputs, so that an
# edited method leaves no old result standing. Methods that look at the same neighbours share one search.


rule search:
    input:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        splits=splits_file,
        modules=modules("labelknn_papers.run.search"),
    output:
        neighbors=f"{DATA}/neighbors/{{protocol}}/{{dataset}}/{{features}}-{{k}}-{{rows}}.npz",
    log:
        "logs/search/{protocol}/{dataset}/{features}-{k}-{rows}.log",
    benchmark:
        f"{DATA}/benchmarks/search/{{protocol}}/{{dataset}}/{{features}}-{{k}}-{{rows}}.tsv"
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
        predictions=f"{DATA}/predictions/{{protocol}}/{{dataset}}/{{algorithm}}.npz",
        provenance=f"{DATA}/predictions/{{protocol}}/{{dataset}}/{{algorithm}}.json",
        times=f"{DATA}/times/{{protocol}}/{{dataset}}/{{algorithm}}.csv",
    log:
        "logs/run/{protocol}/{dataset}/{algorithm}.log",
    benchmark:
        f"{DATA}/benchmarks/run/{{protocol}}/{{dataset}}/{{algorithm}}.tsv"
    conda:
        ENVIRONMENT
    params:
        algorithm=lambda wildcards: PLAN.algorithms[wildcards.algorithm],
        seed=config["seed"],
        missing=lambda wildcards: PLAN.protocols[wildcards.protocol].missing,
    script:
        "../scripts/run.py"
