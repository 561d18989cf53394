# Cells: methods on all splits of a data set, and their scores. One job loads the data, and searches neighbours, once for all
# methods that the plan has there; `plan.jobs` divides it where it would outlast the others.
#
# The cells are in a store (`run.store`) that Snakemake does not know; what it knows is the list of a job's results. The modules
# that the methods are made of are inputs, so that an edited method leaves no old result standing: the job starts, and runs what
# the store does not have. The list belongs to the config, so that two of them can share the store.


scattergather:
    queries=4,


rule cells:
    input:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        splits=splits_file,
        modules=job_modules,
        blocks=job_blocks,
    output:
        results=PATHS.results("{protocol}/{dataset}/{job}"),
        costs=PATHS.costs("{protocol}/{dataset}/{job}"),
    log:
        f"logs/cells/{FIGURES}/{{protocol}}/{{dataset}}/{{job}}.log",
    benchmark:
        f"{DATA}/benchmarks/cells/{FIGURES}/{{protocol}}/{{dataset}}/{{job}}.tsv"
    # The longest first.
    priority: job_priority
    conda:
        ENVIRONMENT
    params:
        group=job_group,
    script:
        "../scripts/cells.py"


# A part of the queries of a data set that the config has under `scattered`; the blocks are in the store until `cells` has put
# them together.
rule block:
    input:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        splits=splits_file,
        modules=job_modules,
    output:
        costs=PATHS.block("{protocol}/{dataset}/{job}", "{scatteritem}"),
    log:
        f"logs/cells/{FIGURES}/{{protocol}}/{{dataset}}/{{job}}-{{scatteritem}}.log",
    priority: job_priority
    conda:
        ENVIRONMENT
    params:
        group=job_group,
    script:
        "../scripts/block.py"
