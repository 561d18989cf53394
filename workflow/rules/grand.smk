# All methods on all data sets they can run on. What a paper's run has anyway is taken from there; all else is tried, and
# a method that fails on a data set is listed with what it said.


localrules:
    list_grand_sources,


checkpoint list_grand_sources:
    input:
        status=[f"{DATA}/raw/{name}.json" for name in GRAND_DATASETS if not PLAN.bases(name)],
    output:
        sources=f"{FIGURES}/grand/sources.csv",
    log:
        f"logs/list_grand_sources/{FIGURES}.log",
    conda:
        ENVIRONMENT
    params:
        generated={name: PLAN.bases(name) for name in GRAND_DATASETS if PLAN.bases(name)},
        strict=config["strict"],
    script:
        "../scripts/list_sources.py"


rule attempt:
    input:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        splits=splits_file,
        neighbors=neighbors_file,
        modules=lambda wildcards: sorted({*cell_modules(wildcards), *modules("labelknn_papers.run.score")}),
    output:
        scores=f"{DATA}/attempts/{{protocol}}/{{dataset}}/{{algorithm}}.csv",
        reason=f"{DATA}/attempts/{{protocol}}/{{dataset}}/{{algorithm}}.txt",
        times=f"{DATA}/attempt_times/{{protocol}}/{{dataset}}/{{algorithm}}.csv",
    log:
        "logs/attempt/{protocol}/{dataset}/{algorithm}.log",
    benchmark:
        f"{DATA}/benchmarks/attempt/{{protocol}}/{{dataset}}/{{algorithm}}.tsv"
    conda:
        ENVIRONMENT
    params:
        algorithm=lambda wildcards: PLAN.algorithms[wildcards.algorithm],
        seed=config["seed"],
    script:
        "../scripts/attempt.py"


for task in PLAN.grand:

    rule:
        name:
            f"compare_all_{task}"
        input:
            scores=lambda wildcards, task=task: grand_scores(task),
            reasons=lambda wildcards, task=task: grand_reasons(task),
            sources=f"{FIGURES}/grand/sources.csv",
            modules=REPORTING_MODULES,
        output:
            table=f"{FIGURES}/grand/{task}.csv",
            readable=f"{FIGURES}/grand/{task}.md",
            tests=f"{FIGURES}/grand/{task}_tests.csv",
            pictures=grand_pictures(task),
        log:
            f"logs/compare_all/{FIGURES}/{task}.log",
        conda:
            ENVIRONMENT
        params:
            task=task,
            plan=fingerprint(PLAN.grand[task]),
        script:
            "../scripts/compare_all.py"

    if grand_trade_off(task):

        rule:
            name:
                f"draw_trade_off_{task}"
            input:
                scores=lambda wildcards, task=task: grand_scores(task),
                times=lambda wildcards, task=task: grand_times(task),
                modules=REPORTING_MODULES,
            output:
                table=grand_trade_off(task)[0],
                pictures=grand_trade_off(task)[1:],
            log:
                f"logs/draw_trade_off/{FIGURES}/{task}.log",
            conda:
                ENVIRONMENT
            params:
                task=task,
                plan=fingerprint(PLAN.grand[task]),
            script:
                "../scripts/draw_trade_off.py"


# The page of the comparison on chosen data sets.
rule compare_page:
    input:
        scores=lambda wildcards: [path for task in PLAN.grand for path in grand_scores(task)],
        reasons=lambda wildcards: [path for task in PLAN.grand for path in grand_reasons(task)],
        times=lambda wildcards: [path for task in PLAN.grand for path in grand_times(task)],
        sources=f"{FIGURES}/grand/sources.csv",
        pictures=[path for task in PLAN.grand for path in grand_pictures(task) if path.endswith(".svg")],
        modules=REPORTING_MODULES,
        templates=TEMPLATES,
    output:
        page=f"{FIGURES}/compare.html",
        times=f"{FIGURES}/grand/times.csv",
    log:
        f"logs/compare_page/{FIGURES}.log",
    conda:
        ENVIRONMENT
    params:
        plan=fingerprint(PLAN.grand),
        files=[
            os.path.relpath(path, FIGURES)
            for task in PLAN.grand
            for path in grand_files(task)
            if path.endswith(".csv")
        ],
    script:
        "../scripts/compare_page.py"
