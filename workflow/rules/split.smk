# Training and test rows, from the seed and the data set alone: every method sees the same.


localrules:
    split,


rule split:
    input:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        modules=modules("labelknn_papers.plan.protocol"),
    output:
        splits=f"{DATA}/splits/{{protocol}}/{{dataset}}.npz",
    log:
        "logs/split/{protocol}/{dataset}.log",
    benchmark:
        f"{DATA}/benchmarks/split/{{protocol}}/{{dataset}}.tsv"
    priority: FIRST
    conda:
        ENVIRONMENT
    params:
        protocol=lambda wildcards: vars(PLAN.protocols[wildcards.protocol]),
        seed=config["seed"],
    script:
        "../scripts/split.py"
