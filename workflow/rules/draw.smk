# The figures of the papers. What one is made from is said in its entry in config/papers/<paper>.yaml, and drawn by the
# function of its name in src/labelknn_papers/papers/<paper>.py.


def figure_files(paper, figure):
    """What a figure is made from; which data could be had matters where it is made from data."""
    missing = unreached() if PLAN.papers[paper]["figures"][figure]["datasets"] else {}
    return needed_files(PLAN, paper, figure, missing)


for paper, figure in figures():

    rule:
        name:
            f"draw_{paper}_{figure}"
        input:
            unpack(lambda wildcards, paper=paper, figure=figure: figure_files(paper, figure)),
            modules=REPORTING_MODULES + modules(f"labelknn_papers.papers.{paper}"),
        output:
            pictures=picture_files(paper, figure),
            table=figure_table(paper, figure),
        log:
            f"logs/draw/{FIGURES}/{paper}/{figure}.log",
        benchmark:
            f"{DATA}/benchmarks/draw/{FIGURES}/{paper}/{figure}.tsv"
        group:
            "tables"
        conda:
            ENVIRONMENT
        params:
            paper=paper,
            figure=figure,
            plan=fingerprint(PLAN.papers[paper]["figures"][figure], given(PLAN, paper, figure)),
        script:
            "../scripts/draw.py"
