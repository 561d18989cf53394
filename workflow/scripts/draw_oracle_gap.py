"""How far each method is from the best label set among its neighbours."""

from pathlib import Path

from labelknn_papers.judge.estimates import summarise
from labelknn_papers.papers.oracle_gap import draw_oracle_gap, hamming_losses
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    estimates = summarise(read_scores(snakemake.input.scores))
    losses = hamming_losses(plan.figure_cells("chiang2012", "oracle_gap"), estimates)
    titles = {name: algorithm["title"] for name, algorithm in plan.algorithms.items()}
    save_figure(draw_oracle_gap(losses, titles), snakemake.output.pictures)
