# Methods side by side, without printed numbers. What the run has anyway is taken from there; all else is tried, and a method
# that fails on a data set is listed with what it said.


for key in PLAN.comparisons:

    rule:
        name:
            f"compare_methods_{key}"
        input:
            results=lambda wildcards, key=key: results_of(PATHS.tried(key, unreached(key))),
            sources=PATHS.sources(key),
            modules=REPORTING_MODULES,
        output:
            table=PATHS.comparison(key, ".csv"),
            readable=PATHS.comparison(key, ".md"),
            tests=PATHS.comparison(key, "_tests.csv"),
            pictures=PATHS.comparison_diagrams(key),
        log:
            f"logs/compare_methods/{FIGURES}/{key}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            comparison=key,
            plan=fingerprint(PLAN.comparisons[key]),
        script:
            "../scripts/compare_methods.py"

    # The page, and the seconds in it, which change from run to run.
    rule:
        name:
            f"compare_page_{key}"
        input:
            results=lambda wildcards, key=key: results_of(PATHS.tried(key, unreached(key))),
            sources=PATHS.sources(key),
            pictures=[path for path in PATHS.comparison_diagrams(key) if path.endswith(".svg")],
            modules=REPORTING_MODULES,
            templates=TEMPLATES,
        output:
            page=PATHS.comparison(key, ".html"),
            times=PATHS.comparison(key, "_times.csv"),
        log:
            f"logs/compare_page/{FIGURES}/{key}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            comparison=key,
            plan=fingerprint(PLAN.comparisons[key]),
            files=[Path(path).name for path in PATHS.comparison_files(key) if path.endswith(".csv")],
        script:
            "../scripts/compare_page.py"

    if PATHS.trade_off(key):

        rule:
            name:
                f"draw_trade_off_{key}"
            input:
                results=lambda wildcards, key=key: results_of(PATHS.tried(key, unreached(key))),
                modules=REPORTING_MODULES,
            output:
                table=PATHS.trade_off(key)[0],
                pictures=PATHS.trade_off(key)[1:],
            log:
                f"logs/draw_trade_off/{FIGURES}/{key}.log",
            localrule: True
            conda:
                ENVIRONMENT
            params:
                comparison=key,
                plan=fingerprint(PLAN.comparisons[key]),
            script:
                "../scripts/draw_trade_off.py"
