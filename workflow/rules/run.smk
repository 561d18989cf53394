# One cell: a method on all splits of a data set. The modules that the method is made of are inputs, so that an
# edited method leaves no old result standing. Methods that look at the same neighbours share one search.


def cell_modules(wildcards):
    """What decides the predictions of a cell: the files of its method and of what runs it."""
    of_method = map(os.path.relpath, method_files(PLAN.methods[wildcards.method], OWN_MODULES))
    return sorted({*of_method, *modules("labelknn_papers.run.cell")})


def neighbors_file(wildcards):
    return PATHS.neighbors(wildcards.protocol, wildcards.dataset, wildcards.method) or []


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
