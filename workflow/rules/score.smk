# Predictions into rows of one long table. A new metric repeats this stage only.


rule score:
    input:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        splits=splits_file,
        predictions=f"{DATA}/predictions/{{protocol}}/{{dataset}}/{{method}}.npz",
        modules=modules("labelknn_papers.run.score"),
    output:
        scores=f"{DATA}/scores/{{protocol}}/{{dataset}}/{{method}}.csv",
    log:
        "logs/score/{protocol}/{dataset}/{method}.log",
    benchmark:
        f"{DATA}/benchmarks/score/{{protocol}}/{{dataset}}/{{method}}.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/score.py"
