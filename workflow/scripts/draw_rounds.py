"""BoosTexter's scores over its rounds, against the numbers that the paper prints."""

from pathlib import Path

from labelknn_papers.judge.estimates import summarise
from labelknn_papers.papers.rounds import curves_over_rounds, draw_rounds
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.show.figures import save_figure

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    printed = {number.metric: number.value for number in plan.published["zhang2005"] if number.method == "boostexter"}
    curves = curves_over_rounds(summarise(read_scores(snakemake.input.scores)))
    save_figure(draw_rounds(curves, printed), snakemake.output.pictures)
