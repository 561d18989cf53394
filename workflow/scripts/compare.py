"""Set one paper's published numbers beside ours, lay its tables out, and test what they say."""

from functools import partial
from pathlib import Path

from labelknn_papers.judge.files import read_facts
from labelknn_papers.judge.findings import judge_paper, read_findings, write_findings
from labelknn_papers.judge.reasons import with_reasons
from labelknn_papers.judge.times import time_cells
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.score import read_scores
from labelknn_papers.run.store import read_results, scores_of, times_of
from labelknn_papers.show.contents import PICTURES
from labelknn_papers.show.diagrams import draw_ranks, rank_table, why_no_ranks
from labelknn_papers.show.figures import picture_of, save_figure
from labelknn_papers.show.needs import names_in_pictures
from labelknn_papers.show.tables import write_tables

with job(snakemake.log[0]):
    plan = plan_of(snakemake)
    name, given = snakemake.params.paper, snakemake.input
    paper, folder = plan.papers[name], Path(snakemake.output.comparison).parent
    found, targets = read_results(given.results), plan.targets[name]
    scores, times = read_scores(scores_of(found, plan.paper_cells(name))), times_of(found, time_cells(targets))
    facts, unreached = read_facts(given.facts), read_unreached(given.sources)
    judged = judge_paper(plan, name, scores, facts, unreached, times)
    judged = with_reasons(plan, name, judged, facts, folder, found, unreached)
    write_findings(folder, plan, name, judged)
    # From the files, as the page is: the same number stands everywhere.
    findings = read_findings(folder, plan, name)
    for table, definition in paper["tables"].items():
        cells = [one for one in findings.in_tables if one.published.table == table]
        write_tables(folder, table, definition["caption"], cells, definition["layout"])
    names, unreached = names_in_pictures(plan, name), read_unreached(given.sources)
    for key, test in paper.get("tests", {}).items():
        ranks = rank_table({test["title"]: judged.tests[key]}).rounded()
        ranks.write(folder / f"{key}.csv")
        draw = partial(draw_ranks, names=names, titles=[test["title"]], level=test["level"])
        diagram = picture_of(ranks, draw, why_no_ranks(targets, test["table"], unreached))
        save_figure(diagram, [folder / f"{key}.{suffix}" for suffix in PICTURES])
