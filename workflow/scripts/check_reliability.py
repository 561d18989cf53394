"""How far the reliabilities of IBLR and LRT can be relied on."""

from labelknn.datasets._container import load
from labelknn.utils._files import write_table
from labelknn_papers.papers.rankings import ReliabilityRow, draw_reliability, reliability
from labelknn_papers.plan.protocol import load_splits
from labelknn_papers.run.job import job
from labelknn_papers.run.predictions import load_predictions
from labelknn_papers.show.figures import save_figure

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
