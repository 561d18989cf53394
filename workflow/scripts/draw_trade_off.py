"""Accuracy against time of all methods of a task."""

from pathlib import Path

from labelknn.experiment.job import job
from labelknn.experiment.plan import Plan
from labelknn.experiment.score import read_scores
from labelknn.files import write_table
from labelknn.metrics import METRICS
from labelknn.reporting.figures import save_figure
from labelknn.reporting.grand import outcomes
from labelknn.reporting.own import seconds_by_method
from labelknn.reporting.trade_off import Point, draw_trade_off, table_rows, trade_off

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    comparison = plan.grand[snakemake.params.task]
    entries = plan.grand_entries(snakemake.params.task)
    rows = outcomes(entries, comparison, read_scores(snakemake.input.scores), {}, {})
    seconds = seconds_by_method(entries, snakemake.input.times)
    points = {metric: trade_off(rows, metric, comparison["ranked"], seconds) for metric in comparison["metrics"]}
    write_table(snakemake.output.table, Point._fields, [row for found in points.values() for row in table_rows(found)])
    panels = {f"{METRICS[metric].label}, {len(comparison['ranked'])} data sets": points[metric] for metric in points}
    save_figure(draw_trade_off(panels), snakemake.output.pictures)
