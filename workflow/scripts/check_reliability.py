"""How far the reliabilities of IBLR and LRT can be relied on."""

from labelknn.datasets.container import load
from labelknn.experiment.job import job
from labelknn.experiment.predictions import load_predictions
from labelknn.experiment.protocol import load_splits
from labelknn.files import write_table
from labelknn.reporting.figures import save_figure
from labelknn.reporting.rankings import ReliabilityRow, draw_reliability, reliability

with job(snakemake.log[0]):
    found = {}
    for path, *parts in zip(
        snakemake.input.data, snakemake.input.splits, snakemake.input.iblr, snakemake.input.lrt, strict=True
    ):
        data, splits = load(path), load_splits(parts[0])
        for method, predictions in zip(("iblr", "lrt"), parts[1:], strict=True):
            complete = {key: one for key, one in load_predictions(predictions).items() if key[2] == "missing=0.0"}
            found[data.name, method] = reliability(data, splits, complete)
    rows = [ReliabilityRow(*key, round(one.correlation, 6)) for key, one in found.items()]
    write_table(snakemake.output.table, ReliabilityRow._fields, rows)
    save_figure(draw_reliability(found), snakemake.output.pictures)
