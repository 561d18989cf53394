# The figures of the papers: a table, and the picture that is drawn from it. What one is made from is said in its entry in
# config/papers/<paper>.yaml; its two functions are in src/labelknn_papers/papers/<paper>.py.


for paper, figure in figures():

    rule:
        name:
            f"draw_{paper}_{figure}"
        input:
            unpack(lambda wildcards, paper=paper, figure=figure: figure_files(paper, figure)),
            sources=lambda wildcards, paper=paper, figure=figure: figure_sources(paper, figure),
            modules=REPORTING_MODULES + modules(f"labelknn_papers.papers.{paper}"),
        output:
            pictures=picture_files(paper, figure),
            table=figure_table(paper, figure),
        log:
            f"logs/draw/{FIGURES}/{paper}/{figure}.log",
        benchmark:
            f"{DATA}/benchmarks/draw/{FIGURES}/{paper}/{figure}.tsv"
        localrule: True
        conda:
            ENVIRONMENT
        params:
            paper=paper,
            figure=figure,
            plan=fingerprint(
                PLAN.papers[paper]["figures"][figure], given(PLAN, paper, figure), names_in_pictures(PLAN, paper)
            ),
        script:
            "../scripts/draw.py"
