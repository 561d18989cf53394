"""Accuracy against time of the methods of a comparison."""

from labelknn.metrics import METRICS
from labelknn.utils._files import write_table
from labelknn_papers.judge.outcomes import outcomes
from labelknn_papers.judge.own import seconds_by_method
from labelknn_papers.plan.cells import tried
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import read_results, scores_of, times_of
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.trade_off import Point, draw_trade_off, table_rows, trade_off

with job(snakemake.log[0]):
    plan, key = plan_of(snakemake), snakemake.params.comparison
    comparison, entries = plan.comparisons[key], plan.entries(key)
    found = read_results(snakemake.input.results)
    rows = outcomes(entries, comparison, read_scores(scores_of(found, tried(entries))), {}, {})
    seconds = seconds_by_method(entries, times_of(found, tried(entries)))
    points = {metric: trade_off(rows, metric, comparison["ranked"], seconds) for metric in comparison["metrics"]}
    write_table(snakemake.output.table, Point._fields, [row for one in points.values() for row in table_rows(one)])
    panels = {f"{METRICS[metric].label}, {len(comparison['ranked'])} data sets": points[metric] for metric in points}
    save_figure(draw_trade_off(panels), snakemake.output.pictures)
