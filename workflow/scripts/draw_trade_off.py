"""Accuracy against time of all methods of a task."""

from pathlib import Path

from labelknn.metrics import METRICS
from labelknn.utils._files import write_table
from labelknn_papers.judge.grand import outcomes
from labelknn_papers.judge.own import seconds_by_method
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.trade_off import Point, draw_trade_off, table_rows, trade_off

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
