# What brinker2007 has beside its tables: how sure its genes are, and figure 1.


rule check_matching:
    input:
        data=lambda wildcards: figure_data("brinker2007", "matching", complete=True),
        modules=REPORTING_MODULES,
    output:
        matching=f"{FIGURES}/brinker2007/matching.csv",
        pictures=picture_files("brinker2007", "matching"),
    log:
        f"logs/check_matching/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/check_matching/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/check_matching.py"


rule draw_gap:
    input:
        scores=lambda wildcards: score_files(figure_cells("brinker2007", "gap")),
        modules=REPORTING_MODULES,
    output:
        pictures=picture_files("brinker2007", "gap"),
    log:
        f"logs/draw_gap/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/draw_gap/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    params:
        plan=fingerprint(PLAN.papers.get("brinker2007", {}).get("figures")),
    script:
        "../scripts/draw_gap.py"
