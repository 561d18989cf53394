"""Tau over the share of missing labels: the paper's figure 1, and the same for all data sets."""

from pathlib import Path

from labelknn_papers.judge.estimates import summarise
from labelknn_papers.papers.rankings import draw_learning_curves
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    estimates = summarise(read_scores(snakemake.input.scores))
    for figure, pictures in (
        ("learning_curve", snakemake.output.housing),
        ("learning_curves", snakemake.output.all_sets),
    ):
        curves = {}
        for curve, cell in plan.figure_cells("cheng2009", figure).items():
            place = (cell.protocol.id, cell.dataset, cell.method)
            taus = {
                rate: estimates.get((*place, f"missing={rate:.1f}", "kendall_tau")) for rate in cell.protocol.missing
            }
            if any(taus.values()):
                curves[curve] = {rate: found for rate, found in taus.items() if found}
        save_figure(draw_learning_curves(curves), pictures)
