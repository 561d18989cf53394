# Whether the papers' claims hold, by what judge and the figures have written, and by the scores of the figures' cells.

if CLAIMS:

    rule claims:
        input:
            findings=[findings_files(paper, times=True) for paper in CLAIMS],
            tables=[path for paper in CLAIMS for path in claimed_tables(paper)],
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
            # What is measured on request only (`scale`) is taken where it is there: as an input it would be measured.
            measured=fingerprint([Path(path).read_text() for path in measured_tables() if Path(path).exists()]),
        script:
            "../scripts/claims.py"
