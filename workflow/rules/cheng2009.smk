from labelknn_papers.plan.protocol import protocol_from

# What cheng2009 has beside its tables: generated against published rankings, learning curves, reliability, a tree.


def reliability_files(stage, pattern):
    """Files of the cells of table 2 on complete rankings, for each data set of the figure."""
    protocol = protocol_from(PLAN.papers["cheng2009"]["protocol"])
    protocol = protocol.complete.id if stage == "splits" else protocol.id
    missing = unreached()
    datasets = PLAN.papers["cheng2009"]["figures"]["reliability"]["datasets"]
    return [f"{DATA}/{stage}/{protocol}/{pattern.format(dataset=name)}" for name in datasets if name not in missing]


rule check_generated_rankings:
    input:
        data=lambda wildcards: figure_data("cheng2009", "generated_rankings"),
        modules=modules("labelknn_papers.data.generate") + REPORTING_MODULES,
    output:
        agreement=f"{FIGURES}/cheng2009/generated_rankings.csv",
        agreement_pictures=picture_files("cheng2009", "generated_rankings"),
        ingredients=f"{FIGURES}/cheng2009/naive_bayes_ingredients.csv",
        ingredient_pictures=picture_files("cheng2009", "naive_bayes_ingredients"),
    log:
        f"logs/check_generated_rankings/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/check_generated_rankings/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    params:
        recipes={
            name.removesuffix("-generated"): PLAN.recipe(name)
            for name in PLAN.datasets
            if name.endswith("-generated") and PLAN.bases(name)
        },
    script:
        "../scripts/check_generated_rankings.py"


rule draw_learning_curves:
    input:
        scores=lambda wildcards: score_files(figure_cells("cheng2009", "learning_curve", "learning_curves")),
        modules=REPORTING_MODULES,
    output:
        housing=picture_files("cheng2009", "learning_curve"),
        all_sets=picture_files("cheng2009", "learning_curves"),
    log:
        f"logs/draw_learning_curves/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/draw_learning_curves/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    params:
        plan=fingerprint(PLAN.papers.get("cheng2009", {}).get("figures")),
    script:
        "../scripts/draw_learning_curves.py"


rule check_reliability:
    input:
        data=lambda wildcards: figure_data("cheng2009", "reliability"),
        splits=lambda wildcards: reliability_files("splits", "{dataset}.npz"),
        iblr=lambda wildcards: reliability_files("predictions", "{dataset}/iblr.npz"),
        lrt=lambda wildcards: reliability_files("predictions", "{dataset}/lrt.npz"),
        modules=REPORTING_MODULES,
    output:
        table=f"{FIGURES}/cheng2009/reliability.csv",
        pictures=picture_files("cheng2009", "reliability"),
    log:
        f"logs/check_reliability/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/check_reliability/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/check_reliability.py"


rule draw_tree:
    input:
        data=lambda wildcards: figure_data("cheng2009", "iris_tree"),
        modules=REPORTING_MODULES + modules("labelknn.ranking._lrt"),
    output:
        pictures=picture_files("cheng2009", "iris_tree"),
    log:
        f"logs/draw_tree/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/draw_tree/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/draw_tree.py"
