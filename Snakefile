# From raw data to every table and figure of the papers: snakemake --cores N
# A small selection of the same:                        snakemake --cores N --configfile config/quick.yaml
# One paper:                                            snakemake --cores N zhang2005
# Which method should I use?                            snakemake --cores N comparison
# One comparison:                                       snakemake --cores N multilabel


from snakemake.utils import min_version

min_version("9.0")


configfile: f"{workflow.basedir}/config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/generate.smk"
include: "workflow/rules/split.smk"
include: "workflow/rules/cells.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/present.smk"
include: "workflow/rules/close.smk"
include: "workflow/rules/comparisons.smk"
include: "workflow/rules/scale.smk"


# The targets name the checkpoints' files too: without these, Snakemake does not see that what hangs on them is out of date.
# And they name the lists of results: Snakemake does without a file between others as long as what is made from it stands.
rule all:
    default_target: True
    input:
        SOURCES,
        [PATHS.sources(owner) for owner in OWNERS],
        f"{FIGURES}/index.html",
        [paper_files(paper) for paper in PLAN.papers],
        f"{FIGURES}/digests.csv",
        f"{FIGURES}/ro-crate-metadata.json",
        f"{FIGURES}/cost.csv",
        results=lambda wildcards: results_of(reached(PLAN.cells, *OWNERS)),


for paper in PLAN.papers:

    rule:
        name:
            paper
        input:
            PATHS.sources(paper),
            paper_files(paper),
            results=lambda wildcards, paper=paper: results_of(reached(PLAN.cells_by_owner[paper], paper)),


for key in PLAN.comparisons:

    rule:
        name:
            key
        input:
            comparison_targets(key),
            results=lambda wildcards, key=key: results_of(PATHS.tried(key, unreached(key))),


# Which method should I use? All of them, on all data sets, and what people would take instead.
rule comparison:
    input:
        [comparison_targets(key) for key in COMPARISON_PAGES["index"]],
        PATHS.comparison("index", ".html"),


# The comparisons that the config adds under `compare`.
rule compare:
    input:
        [comparison_targets(key) for key in config.get("compare", {})],


# What LCIF takes on synthetic data of up to 360,000 rows, and by that on 1.8 million. It measures the machine, and is no part of `all`.
rule scale:
    input:
        [f"{FIGURES}/{paper}/scale.csv" for paper, definition in PLAN.papers.items() if "scale" in definition],


onstart:
    report_start()
    start_jobs_unlimited()


onsuccess:
    report_end()
