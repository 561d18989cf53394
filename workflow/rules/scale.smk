# What LCIF costs over the scale of generated data. These numbers are the machine's, so that they are no part of `all`.


rule measure_scale:
    input:
        modules=modules("labelknn_papers.run.scale"),
    output:
        measurement=f"{DATA}/scale/{{paper}}/{{shape}}/{{scale}}.json",
    log:
        "logs/measure_scale/{paper}/{shape}/{scale}.log",
    wildcard_constraints:
        paper=one_of(PLAN.papers),
        shape="[^/]+",
        scale="[^/]+",
    conda:
        ENVIRONMENT
    # All cores: no other job runs at the same time.
    threads: lambda wildcards: workflow.cores
    params:
        seed=lambda wildcards: PLAN.papers[wildcards.paper]["scale"]["seed"],
    script:
        "../scripts/measure_scale.py"
