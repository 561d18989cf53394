# What LCIF costs over the scale of generated data. These numbers are the machine's, so that they are no part of `all`.


rule measure_scale:
    input:
        modules=modules("labelknn_papers.run.scale"),
    output:
        measurement=f"{DATA}/scale/{{shape}}/{{scale}}.json",
    log:
        "logs/measure_scale/{shape}/{scale}.log",
    wildcard_constraints:
        shape=one_of(PLAN.scale["shapes"]),
        scale="[^/]+",
    conda:
        ENVIRONMENT
    # All cores: no other job runs at the same time.
    threads: lambda wildcards: workflow.cores
    params:
        seed=PLAN.scale["seed"],
    script:
        "../scripts/measure_scale.py"
