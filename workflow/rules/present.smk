# Judge sets what papers print beside ours, as tables and CSV files; the page is made from these files.


localrules:
    captions,
    page,


# For `snakemake --report report.zip`, which shows the tables and figures with their captions.
report: "../report/workflow.rst"


for paper in PLAN.papers:

    rule:
        name:
            f"compare_{paper}"
        input:
            results=lambda wildcards, paper=paper: results_of(
                reached(PLAN.paper_cells(paper) + drawn_cells(paper, QUOTED[paper]), paper)
            ),
            quoted=drawn_tables(paper, QUOTED[paper]),
            facts=lambda wildcards, paper=paper: facts_files(paper, PLAN.paper_datasets(paper)),
            sources=PATHS.sources(paper),
            modules=REPORTING_MODULES + formula_modules(paper),
        output:
            comparison=f"{FIGURES}/{paper}/comparison.csv",
            tables=table_files(paper),
            tests=test_files(paper),
        log:
            f"logs/compare/{FIGURES}/{paper}.log",
        benchmark:
            f"{DATA}/benchmarks/compare/{FIGURES}/{paper}.tsv"
        localrule: True
        conda:
            ENVIRONMENT
        params:
            paper=paper,
            plan=fingerprint(PLAN.papers[paper], PLAN.targets[paper], PLAN.own[paper]),
            # What is measured on request only is quoted where it is there.
            measured=measured_fingerprint(),
        script:
            "../scripts/compare.py"


rule captions:
    input:
        modules=REPORTING_MODULES,
    output:
        [f"{DATA}/captions/{name}.rst" for name in captions(PLAN)],
    log:
        f"logs/captions/{FIGURES}.log",
    conda:
        ENVIRONMENT
    params:
        captions=fingerprint(captions(PLAN)),
    script:
        "../scripts/captions.py"


rule page:
    input:
        findings=[findings_files(paper, times=True) for paper in PLAN.papers],
        claims=claims_files()[:1],
        choices=choices_files(),
        results=lambda wildcards: results_of(
            cell for key in PLAN.run_comparisons for cell in reached(PLAN.run_cells(key), key)
        ),
        sources=SOURCES,
        record=RECORD,
        recorded_times=RECORDED_TIMES,
        modules=REPORTING_MODULES,
        templates=TEMPLATES,
        captions=rules.captions.output,
        figures=[
            f"{FIGURES}/{paper}/{picture}.svg" for paper in PLAN.papers for picture in pictures_of(PLAN.papers[paper])
        ],
    output:
        page=f"{FIGURES}/index.html",
        scorecard=f"{FIGURES}/scorecard.csv",
        scorecard_pictures=overall_pictures("scorecard"),
        overview=f"{FIGURES}/overview.csv",
        overview_pictures=overall_pictures("overview"),
    log:
        f"logs/page/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/page/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    params:
        files=[os.path.relpath(path, FIGURES) for path in choices_files()]
        + ["scorecard.csv", "digests.csv", "cost.csv"],
        plan=fingerprint(PLAN.papers, PLAN.comparisons, PLAN.targets, PLAN.own, PLAN.methods, PLAN.datasets),
        options=SAME_RUN,
    script:
        "../scripts/page.py"
