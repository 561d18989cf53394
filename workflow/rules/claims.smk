# Whether the papers' claims hold, and what choices change that were made with a look at printed values: by what judge and the
# figures have written, and by the scores of the figures' cells.

if CLAIMS:

    rule claims:
        input:
            findings=[findings_files(paper, times=True) for paper in CLAIMS],
            tables=[path for paper in CLAIMS for path in drawn_tables(paper, figure_tables(PLAN.papers[paper]))],
            results=lambda wildcards: results_of(
                cell for paper in CLAIMS for cell in reached(claim_cells(PLAN, paper), paper)
            ),
            sources=SOURCES,
            modules=REPORTING_MODULES + [path for paper in CLAIMS for path in claim_modules(paper)],
        output:
            claims=f"{FIGURES}/claims.csv",
            seconds=f"{FIGURES}/claims_seconds.csv",
        log:
            f"logs/claims/{FIGURES}.log",
        benchmark:
            f"{DATA}/benchmarks/claims/{FIGURES}.tsv"
        localrule: True
        conda:
            ENVIRONMENT
        params:
            plan=fingerprint(CLAIMS, PLAN.papers, PLAN.targets),
            # What is measured on request only is taken where it is there: as an input it would be measured.
            measured=measured_fingerprint(),
        script:
            "../scripts/claims.py"


if CHOICES:

    rule post_hoc:
        input:
            findings=[findings_files(paper) for paper in CHOICES],
            tables=[path for paper, figures in CHOICES.items() for path in drawn_tables(paper, figures)],
            results=lambda wildcards: results_of(
                cell for paper, figures in CHOICES.items() for cell in reached(drawn_cells(paper, figures), paper)
            ),
            sources=SOURCES,
            modules=REPORTING_MODULES,
        output:
            choices=f"{FIGURES}/post_hoc.csv",
        log:
            f"logs/post_hoc/{FIGURES}.log",
        benchmark:
            f"{DATA}/benchmarks/post_hoc/{FIGURES}.tsv"
        localrule: True
        conda:
            ENVIRONMENT
        params:
            plan=fingerprint(PLAN.papers, PLAN.targets),
        script:
            "../scripts/post_hoc.py"
