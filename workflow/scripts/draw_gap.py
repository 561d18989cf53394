"""The Hamming loss over the number of virtual labels: brinker2007's figure 1, and the same on more data sets."""

from pathlib import Path

from labelknn_papers.judge.estimates import summarise
from labelknn_papers.papers.gap import draw_gap, losses
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    estimates = summarise(read_scores(snakemake.input.scores))
    cells = {
        (dataset, plan.methods[name]["title"]): cell
        for (dataset, name), cell in plan.figure_cells("brinker2007", "gap").items()
    }
    save_figure(draw_gap(*losses(cells, estimates)), snakemake.output.pictures)
