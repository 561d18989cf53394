"""The scorecard over all papers, as a table and as a picture, published against reproduced values, and the page."""

from pathlib import Path

from labelknn.utils._files import atomic
from labelknn_papers.judge.files import read_table, side_tables
from labelknn_papers.judge.findings import read_findings
from labelknn_papers.judge.record import Balance, balance, read_record
from labelknn_papers.judge.studies import study_table
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import read_results, scores_of
from labelknn_papers.show.content import page_content
from labelknn_papers.show.contents import AGREEMENT
from labelknn_papers.show.crate import used_sources
from labelknn_papers.show.figures import picture_of, save_figure
from labelknn_papers.show.measured import Place, read_ratios
from labelknn_papers.show.origins import Run
from labelknn_papers.show.overview import agreement_table, draw_agreement
from labelknn_papers.show.page import render_page
from labelknn_papers.show.post_hoc import choices_report
from labelknn_papers.show.reports import FigureReport, Ratio
from labelknn_papers.show.scorecard import draw_scorecard, scorecard_table

with job(snakemake.log[0]):
    plan = plan_of(snakemake)
    folder = Path(snakemake.output.page).parent
    findings = {paper: read_findings(folder / paper, plan, paper) for paper in plan.papers}
    comparisons = {paper: one.comparisons for paper, one in findings.items()}
    titles = {
        (key, table): definition["title"]
        for key, paper in plan.papers.items()
        for table, definition in paper["tables"].items()
    }
    counts, numbers = scorecard_table(comparisons), agreement_table(comparisons)
    counts.write(snakemake.output.scorecard)
    numbers.write(snakemake.output.overview)
    save_figure(draw_scorecard(counts, titles), snakemake.output.scorecard_pictures)
    drawn = picture_of(numbers, lambda table: draw_agreement(table, {}), "no number of ours")
    save_figure(drawn, snakemake.output.overview_pictures)
    svg = next(path for path in snakemake.output.overview_pictures if path.endswith(".svg"))
    overview = [FigureReport("overview", *AGREEMENT, Path(svg).read_text())] if plan.papers else []
    unreached, found = read_unreached(snakemake.input.sources), read_results(snakemake.input.results)
    cells = dict.fromkeys(cell for key in plan.run_comparisons for cell in plan.run_cells(key))
    scores = read_scores(scores_of(found, cells))
    studies = {key: study_table(plan, key, scores) for key in plan.run_comparisons}
    record = {
        paper: read_record(path, plan.targets[paper])
        for path in snakemake.input.record
        for paper in [Path(path).parent.name]
    }
    balances = [balance(comparisons[paper], record[paper], plan.papers[paper]) for paper in record]
    run = Run(snakemake.params.options, used_sources(snakemake.input.sources))
    timed = [folder / paper / "times.csv" for paper in plan.papers if "times" in side_tables(plan, paper)]
    ratios: dict[str, dict[Place, Ratio]] = {}
    for path in map(Path, [*snakemake.input.recorded_times, *timed]):
        ratios[path.parent.name] = ratios.get(path.parent.name, {}) | read_ratios(path)
    reports, missing, tables = page_content(
        plan, findings, snakemake.input.figures, unreached, studies, record, ratios, run
    )
    choices = [choices_report(rows) for path in snakemake.input.choices if (rows := read_table(path))]
    claims = [row for path in snakemake.input.claims for row in read_table(path)]
    balanced = sum(balances, Balance())
    content = (reports, missing, [*tables, *choices])
    page = render_page(*content, overview, snakemake.params.files, balance=balanced, claims=claims)
    with atomic(snakemake.output.page) as temporary:
        temporary.write_text(page)
