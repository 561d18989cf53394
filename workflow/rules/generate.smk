# Data sets that are made from others, and how near they come to the published ones.


rule generate:
    input:
        sources=lambda wildcards: [f"{DATA}/prepared/{name}.npz" for name in PLAN.bases(wildcards.dataset)],
        modules=modules("labelknn.datasets.recipes"),
    output:
        data=f"{DATA}/prepared/{{dataset}}.npz",
        facts=f"{DATA}/prepared/{{dataset}}.json",
    log:
        "logs/generate/{dataset}.log",
    benchmark:
        f"{DATA}/benchmarks/generate/{{dataset}}.tsv"
    wildcard_constraints:
        dataset=one_of(name for name in PLAN.datasets if PLAN.bases(name)),
    conda:
        ENVIRONMENT
    params:
        recipe=lambda wildcards: PLAN.recipe(wildcards.dataset),
        expect=lambda wildcards: PLAN.datasets[wildcards.dataset].get("expect", {}),
    script:
        "../scripts/generate.py"


if "cheng2009" in PLAN.papers:

    rule check_generated_rankings:
        input:
            data=lambda wildcards: figure_data("cheng2009", "generated_rankings"),
            modules=modules("labelknn.datasets.generate") + REPORTING_MODULES,
        output:
            agreement=f"{FIGURES}/cheng2009/generated_rankings.csv",
            agreement_pictures=picture_files("cheng2009", "generated_rankings"),
            ingredients=f"{FIGURES}/cheng2009/naive_bayes_ingredients.csv",
            ingredient_pictures=picture_files("cheng2009", "naive_bayes_ingredients"),
        log:
            f"logs/check_generated_rankings/{FIGURES}.log",
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


if "brinker2007" in PLAN.papers:

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
