# What a complete run leaves behind about itself: a digest of every cell, for `make verify`, and what the run cost.


localrules:
    cost,


rule digest:
    input:
        predictions=lambda wildcards: prediction_files(PLAN.cells),
        scores=lambda wildcards: score_files(PLAN.cells),
        modules=modules("labelknn.experiment.digests"),
    output:
        digests=f"{FIGURES}/digests.csv",
    log:
        f"logs/digest/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/digest/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/digest.py"


# The last job of a run: its inputs are all that the run is for, whatever these are made from.
rule cost:
    input:
        f"{FIGURES}/index.html",
        f"{FIGURES}/digests.csv",
        [paper_files(paper) for paper in PLAN.papers],
    output:
        cost=f"{FIGURES}/cost.csv",
    log:
        f"logs/cost/{FIGURES}.log",
    conda:
        ENVIRONMENT
    params:
        benchmarks=f"{DATA}/benchmarks",
        start=START,
    script:
        "../scripts/cost.py"
