# From raw data to every table and figure of five papers: snakemake --cores N
# A small selection of the same:                        snakemake --cores N --configfile config/quick.yaml
# One paper:                                            snakemake --cores N zhang2005


from snakemake.utils import min_version

min_version("9.0")


configfile: f"{workflow.basedir}/config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/fetch.smk"
include: "workflow/rules/prepare.smk"
include: "workflow/rules/generate.smk"
include: "workflow/rules/split.smk"
include: "workflow/rules/run.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/draw.smk"
include: "workflow/rules/present.smk"
include: "workflow/rules/close.smk"
include: "workflow/rules/grand.smk"
include: "workflow/rules/scale.smk"


rule all:
    default_target: True
    input:
        f"{FIGURES}/index.html",
        [paper_files(paper) for paper in PLAN.papers],
        f"{FIGURES}/digests.csv",
        f"{FIGURES}/ro-crate-metadata.json",
        f"{FIGURES}/cost.csv",


rule brinker2007:
    input:
        paper_files("brinker2007"),


rule cheng2009:
    input:
        paper_files("cheng2009"),


rule chiang2012:
    input:
        paper_files("chiang2012"),


rule feremans2017:
    input:
        paper_files("feremans2017"),


rule zhang2005:
    input:
        paper_files("zhang2005"),


# What none of the papers has: all methods on all data sets they can run on. It is no part of `all`.
rule grand_comparison:
    input:
        [grand_files(task) for task in PLAN.grand],


# The same on data sets of one's own, with a page: the config's key `compare` says which.
rule compare:
    input:
        f"{FIGURES}/compare.html",
        [grand_files(task) for task in PLAN.grand],


# What LCIF takes on synthetic data of up to 360,000 rows, and by that on 1.8 million. It measures the machine, and is no part of `all`.
rule scale:
    input:
        f"{FIGURES}/feremans2017/scale.csv",


onstart:
    report_start()
    start_jobs_unlimited()


onsuccess:
    report_end()
