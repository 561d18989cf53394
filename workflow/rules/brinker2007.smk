# What brinker2007 has beside its tables.


rule check_matching:
    input:
        data=lambda wildcards: figure_data("brinker2007", "matching", complete=True),
        modules=REPORTING_MODULES,
    output:
        matching=f"{FIGURES}/brinker2007/matching.csv",
        pictures=picture_files("brinker2007", "matching"),
    log:
        f"logs/check_matching/{FIGURES}.log",
    conda:
        ENVIRONMENT
    script:
        "../scripts/check_matching.py"
