"""The page of one or several comparisons, from their results and from the files that tell what follows from these."""

from pathlib import Path

from labelknn.utils._files import atomic
from labelknn_papers.judge.advice import Sentence
from labelknn_papers.judge.compared import compared
from labelknn_papers.judge.files import read_table
from labelknn_papers.judge.peers import read_causes
from labelknn_papers.judge.seconds import seconds_by_entry
from labelknn_papers.plan.cells import cells_of
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import read_results, reasons_of, scores_of, times_of
from labelknn_papers.show.comparison_page import render_comparisons
from labelknn_papers.show.comparison_report import comparison_report


def files_of(paths, key, ending):
    return [path for path in paths if Path(path).name.startswith(f"{key}_") and path.endswith(ending)]


with job(snakemake.log[0]):
    plan, given, reports = plan_of(snakemake), snakemake.input, []
    results = read_results(given.results)
    for key, sources in zip(snakemake.params.comparisons, given.sources, strict=True):
        entries, unreached = plan.entries(key), read_unreached(sources)
        scores = read_scores(scores_of(results, cells_of(entries)))
        found = compared(plan.comparisons[key], entries, scores, reasons_of(results), unreached, {})
        told = [Sentence(**row) for path in files_of(given.tables, key, "findings.csv") for row in read_table(path)]
        reports.append(
            comparison_report(
                plan,
                key,
                found,
                seconds_by_entry(entries, times_of(results, cells_of(entries))),
                told,
                [row for path in files_of(given.tables, key, "_peers.csv") for row in read_table(path)],
                [one for path in files_of(given.tables, key, "_peer_causes.csv") for one in read_causes(path)],
                unreached,
                files_of(given.pictures, key, ".svg"),
                [file for file in snakemake.params.files if file.startswith((f"{key}.", f"{key}_"))],
            )
        )
    page = render_comparisons(reports, snakemake.params.title, snakemake.params.lead, snakemake.params.home)
    with atomic(snakemake.output.page) as temporary:
        temporary.write_text(page)
