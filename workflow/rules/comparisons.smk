# Methods side by side, without printed numbers. Those of a comparison that is no part of the run are tried, each within its
# limits, and a method that fails on a data set is listed with what it said.


for key in PLAN.comparisons:

    # What follows from the scores is the same in every run.
    rule:
        name:
            f"compare_methods_{key}"
        input:
            results=lambda wildcards, key=key: results_of(PATHS.tried(key, unreached(key))),
            facts=lambda wildcards, key=key: facts_files(key, PLAN.comparisons[key]["datasets"]),
            sources=PATHS.sources(key),
            modules=REPORTING_MODULES,
        output:
            table=PATHS.comparison(key, ".csv"),
            readable=PATHS.comparison(key, ".md"),
            coverage=PATHS.comparison(key, "_coverage.csv"),
            tests=PATHS.comparison(key, "_tests.csv"),
            properties=PATHS.comparison(key, "_properties.csv"),
            findings=PATHS.comparison(key, "_findings.csv"),
            pictures=PATHS.comparison_pictures(key, PICTURES_OF_SCORES),
        log:
            f"logs/compare_methods/{FIGURES}/{key}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            comparison=key,
            plan=comparison_fingerprint(key),
        script:
            "../scripts/compare_methods.py"

    # Why two libraries differ in the same method.
    if PATHS.peer_causes(key):

        rule:
            name:
                f"compare_peers_{key}"
            input:
                results=lambda wildcards, key=key: results_of(PATHS.tried(key, unreached(key))),
                data=lambda wildcards, key=key: facts_files(key, PLAN.comparisons[key]["datasets"], "npz"),
                splits=lambda wildcards, key=key: sorted(
                    {PATHS.splits(cell.protocol.id, cell.dataset) for cell in PATHS.tried(key, unreached(key))}
                ),
                modules=modules("labelknn_papers.run.peers"),
            output:
                causes=PATHS.peer_causes(key),
            log:
                f"logs/compare_peers/{FIGURES}/{key}.log",
            conda:
                ENVIRONMENT
            params:
                comparison=key,
                plan=comparison_fingerprint(key),
            script:
                "../scripts/compare_peers.py"

    # The seconds, which change from run to run.
    rule:
        name:
            f"compare_times_{key}"
        input:
            results=lambda wildcards, key=key: results_of(PATHS.tried(key, unreached(key))),
            causes=PATHS.peer_causes(key),
            modules=REPORTING_MODULES,
        output:
            times=PATHS.comparison(key, "_times.csv"),
            trade_off=PATHS.comparison(key, "_trade_off.csv"),
            peers=PATHS.comparison(key, "_peers.csv"),
            seconds=PATHS.comparison(key, "_seconds.csv"),
            findings=PATHS.comparison(key, "_time_findings.csv"),
            pictures=PATHS.comparison_pictures(key, PICTURES_OF_TIMES),
        log:
            f"logs/compare_times/{FIGURES}/{key}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            comparison=key,
            plan=comparison_fingerprint(key),
        script:
            "../scripts/compare_times.py"


# A page for each, and one for those of config/comparisons that are tried on real data.
for name, keys in COMPARISON_PAGES.items():

    rule:
        name:
            f"compare_page_{name}"
        input:
            results=lambda wildcards, keys=keys: [
                path for key in keys for path in results_of(PATHS.tried(key, unreached(key)))
            ],
            sources=[PATHS.sources(key) for key in keys],
            tables=[path for key in keys for path in PATHS.comparison_files(key) if path.endswith(".csv")],
            pictures=[path for key in keys for path in PATHS.comparison_files(key) if path.endswith(".svg")],
            modules=REPORTING_MODULES,
            templates=TEMPLATES,
        output:
            page=PATHS.comparison(name, ".html"),
        log:
            f"logs/compare_page/{FIGURES}/{name}.log",
        localrule: True
        conda:
            ENVIRONMENT
        params:
            comparisons=keys,
            plan=fingerprint([comparison_fingerprint(key) for key in keys]),
            title=PLAN.comparisons[name]["title"] if name in PLAN.comparisons else "Which method should I use?",
            # Beside the papers' page in the repository's own figures.
            home="../index.html" if name == "index" and Path(FIGURES).resolve() == FULL else "",
            lead="Methods on the same data, the same splits and the same terms.",
            files=[Path(path).name for key in keys for path in PATHS.comparison_files(key) if path.endswith(".csv")],
        script:
            "../scripts/compare_page.py"
