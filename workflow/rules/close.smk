# What a complete run leaves behind about itself: a digest of every cell, for `make verify`, what its results were made
# from, and what it cost.


localrules:
    digest,
    describe,
    cost,


rule digest:
    input:
        results=lambda wildcards: results_of(reached(PLAN.cells, *OWNERS)),
        modules=modules("labelknn_papers.run.digests"),
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


# Metadata beside the results, the same for any machine, and the rest beside the data, which are never committed.
rule describe:
    input:
        files=[
            f"{FIGURES}/index.html",
            f"{FIGURES}/scorecard.csv",
            f"{FIGURES}/overview.csv",
            f"{FIGURES}/digests.csv",
            claims_files(),
            choices_files(),
            [str(path) for name in ("scorecard", "overview") for path in overall_pictures(name)],
            [paper_files(paper) for paper in PLAN.papers],
        ],
        sources=SOURCES,
        citation=os.path.relpath(ROOT / "CITATION.cff"),
        modules=REPORTING_MODULES,
    output:
        crate=f"{FIGURES}/ro-crate-metadata.json",
        provenance=f"{DATA}/provenance/{FIGURES}.json",
    log:
        f"logs/describe/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/describe/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    params:
        config=config_digest(PLAN),
    script:
        "../scripts/describe.py"


# The last job of a run: its inputs are all that the run is for, whatever these are made from.
rule cost:
    input:
        rules.describe.output,
        rules.describe.input.files,
        costs=lambda wildcards: costs_of(reached(PLAN.cells, *OWNERS)),
        results=lambda wildcards: results_of(reached(PLAN.cells, *OWNERS)),
    output:
        cost=f"{FIGURES}/cost.csv",
        seconds=f"{FIGURES}/seconds.csv",
        stages=f"{FIGURES}/stages.csv",
    log:
        f"logs/cost/{FIGURES}.log",
    conda:
        ENVIRONMENT
    params:
        benchmarks=f"{DATA}/benchmarks",
        costs=f"{DATA}/costs/{FIGURES}",
        start=START,
    script:
        "../scripts/cost.py"
