"""What a comparison's methods take, and what follows from it; all of it changes from run to run."""

from labelknn.utils._files import write_table
from labelknn_papers.judge.advice import Sentence, by_time
from labelknn_papers.judge.compared import compared
from labelknn_papers.judge.outcomes import diagram_title
from labelknn_papers.judge.peers import PEER_COLUMNS, peer_rows, read_causes
from labelknn_papers.judge.seconds import (
    TIME_COLUMNS,
    Point,
    cell_seconds,
    point_rows,
    seconds_by_entry,
    time_rows,
    trade_off,
)
from labelknn_papers.plan.cells import cells_of
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import read_results, reasons_of, scores_of, times_of
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.trade_off import draw_trade_off

with job(snakemake.log[0]):
    plan, key = plan_of(snakemake), snakemake.params.comparison
    comparison, entries, results = plan.comparisons[key], plan.entries(key), read_results(snakemake.input.results)
    scores, stopped = read_scores(scores_of(results, cells_of(entries))), reasons_of(results)
    found = compared(comparison, entries, scores, stopped, {}, {})
    seconds = seconds_by_entry(entries, times_of(results, cells_of(entries)))
    points = {view: trade_off(ranked, seconds) for view, ranked in found.ranked.items()}
    causes = [one for path in snakemake.input.causes for one in read_causes(path)]
    peers = peer_rows(comparison, entries, found.rows, scores, seconds, causes)
    output = snakemake.output
    write_table(output.times, TIME_COLUMNS, time_rows(seconds))
    write_table(output.trade_off, Point._fields, [row for one in points.values() for row in point_rows(one)])
    write_table(output.peers, PEER_COLUMNS, peers)
    write_table(output.seconds, ("cell", "seconds"), cell_seconds(entries, seconds, stopped))
    write_table(output.findings, Sentence._fields, [one for of_view in points.values() for one in by_time(of_view)])
    for view, of_view in points.items() if output.pictures else ():
        stem = f"/{key}_time_{view.name}."
        drawn = draw_trade_off(diagram_title(found.ranked[view]), of_view)
        save_figure(drawn, [path for path in output.pictures if stem in path])
