"""BoosTexter's scores over its rounds, against the numbers that the paper prints."""

from pathlib import Path

from labelknn.experiment.job import job
from labelknn.experiment.plan import Plan
from labelknn.experiment.score import read_scores
from labelknn.reporting.estimates import summarise
from labelknn.reporting.figures import save_figure
from labelknn.reporting.rounds import curves_over_rounds, draw_rounds

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    printed = {number.metric: number.value for number in plan.published["zhang2005"] if number.method == "boostexter"}
    curves = curves_over_rounds(summarise(read_scores(snakemake.input.scores)))
    save_figure(draw_rounds(curves, printed), snakemake.output.pictures)
