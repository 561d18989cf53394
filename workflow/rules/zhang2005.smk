# What zhang2005 has beside its tables: BoosTexter over its rounds, and an alternating decision tree.


rule draw_rounds:
    input:
        scores=lambda wildcards: score_files(figure_cells("zhang2005", "rounds")),
        published=os.path.relpath(ROOT / "config/published/zhang2005.csv"),
        modules=REPORTING_MODULES,
    output:
        pictures=picture_files("zhang2005", "rounds"),
    log:
        f"logs/draw_rounds/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/draw_rounds/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    params:
        plan=fingerprint(PLAN.papers.get("zhang2005", {}).get("figures")),
    script:
        "../scripts/draw_rounds.py"


rule draw_adtree:
    input:
        data=lambda wildcards: figure_data("zhang2005", "adtree"),
        modules=REPORTING_MODULES + modules("labelknn.multilabel._adtboost"),
    output:
        pictures=picture_files("zhang2005", "adtree"),
    log:
        f"logs/draw_adtree/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/draw_adtree/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/draw_adtree.py"
