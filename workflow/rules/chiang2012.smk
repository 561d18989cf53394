from labelknn_papers.plan.protocol import protocol_from

# What chiang2012 has beside its tables: the distance to the oracle, and the learned weights.


def weight_files(method):
    """The predictions of a method on the data sets of the figure, which hold its weights."""
    protocol = protocol_from(PLAN.papers["chiang2012"]["protocol"]).id
    datasets = PLAN.papers["chiang2012"]["figures"]["learned_weights"]["datasets"]
    missing = unreached()
    return [f"{DATA}/predictions/{protocol}/{name}/{method}.npz" for name in datasets if name not in missing]


rule draw_oracle_gap:
    input:
        scores=lambda wildcards: score_files(figure_cells("chiang2012", "oracle_gap")),
        modules=REPORTING_MODULES,
    output:
        pictures=picture_files("chiang2012", "oracle_gap"),
    log:
        f"logs/draw_oracle_gap/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/draw_oracle_gap/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    params:
        plan=fingerprint(PLAN.papers.get("chiang2012", {}).get("figures")),
    script:
        "../scripts/draw_oracle_gap.py"


rule draw_learned_weights:
    input:
        ranked=lambda wildcards: weight_files("ranked-svm"),
        plain=lambda wildcards: weight_files("plain-neighbors"),
        modules=REPORTING_MODULES,
    output:
        pictures=picture_files("chiang2012", "learned_weights"),
    log:
        f"logs/draw_learned_weights/{FIGURES}.log",
    benchmark:
        f"{DATA}/benchmarks/draw_learned_weights/{FIGURES}.tsv"
    conda:
        ENVIRONMENT
    script:
        "../scripts/draw_learned_weights.py"
