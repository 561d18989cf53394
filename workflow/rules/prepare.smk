# Raw files into one array format, and the counts that papers print about their data.

from labelknn_papers.data.prepare import prepare_modules


localrules:
    prepare,


rule prepare:
    input:
        status=f"{DATA}/raw/{{dataset}}.json",
        modules=lambda wildcards: [
            file
            for module in prepare_modules(wildcards.dataset, PLAN.datasets[wildcards.dataset])
            for file in modules(module)
        ],
    output:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        facts=f"{DATA}/prepared/{{dataset}}.json",
    log:
        "logs/prepare/{dataset}.log",
    benchmark:
        f"{DATA}/benchmarks/prepare/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(name for name in PLAN.datasets if not PLAN.bases(name)),
    priority: FIRST
    conda:
        ENVIRONMENT
    params:
        entry=lambda wildcards: PLAN.datasets[wildcards.dataset],
        folder=lambda wildcards: f"{DATA}/raw/{wildcards.dataset}",
    script:
        "../scripts/prepare.py"
