# Data sets that are made from others: rankings from classification and regression data, and expression tasks.


localrules:
    generate,


rule generate:
    input:
        sources=lambda wildcards: PATHS.prepared(PLAN.bases(wildcards.dataset)),
        modules=modules("labelknn_papers.data.recipes"),
    output:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        facts=f"{DATA}/prepared/{{dataset}}.json",
    log:
        "logs/generate/{dataset}.log",
    benchmark:
        f"{DATA}/benchmarks/generate/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(name for name in PLAN.datasets if PLAN.bases(name)),
    priority: FIRST
    conda:
        ENVIRONMENT
    params:
        recipe=lambda wildcards: PLAN.recipe(wildcards.dataset),
        expect=lambda wildcards: PLAN.datasets[wildcards.dataset].get("expect", {}),
    script:
        "../scripts/generate.py"
