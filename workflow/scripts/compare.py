"""Set one paper's published numbers beside ours, lay its tables out, and test what they say."""

from pathlib import Path

from labelknn.utils._files import write_table
from labelknn_papers.judge import paired
from labelknn_papers.judge.comparison import write_comparison
from labelknn_papers.judge.own import write_own
from labelknn_papers.judge.times import time_cells, write_times
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.job import job
from labelknn_papers.show.contents import PICTURES
from labelknn_papers.show.figures import save_figure
from labelknn_papers.show.results import Results
from labelknn_papers.show.tables import write_tables

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    results = Results.read(
        snakemake.input.scores, snakemake.input.facts, snakemake.input.sources, snakemake.params.times
    )
    name = snakemake.params.paper
    paper, folder = plan.papers[name], Path(snakemake.output.comparison).parent
    comparisons, own = results.compare(plan, name), results.own(plan, name)
    together = [*comparisons, *own]
    for table, definition in paper["tables"].items():
        cells = [one for one in together if one.published.table == table]
        write_tables(folder, table, definition["caption"], cells, definition["layout"])
    if time_cells(plan.targets[name]):
        write_times(folder / "times.csv", results.compare_times(plan, name))
    if plan.variants[name]:
        write_comparison(folder / "variants.csv", results.compare_variants(plan, name))
    if "tests" in paper:
        header, rows, diagrams = results.test(paper["tests"], together)
        write_table(folder / "tests.csv", header, rows)
        for key, diagram in diagrams.items():
            save_figure(diagram, [folder / f"{key}.{suffix}" for suffix in PICTURES])
    if "pairs" in paper:
        write_table(folder / "paired_tests.csv", paired.COLUMNS, results.paired_tests(plan, name))
    if own:
        write_own(folder / "own.csv", own)
    write_comparison(snakemake.output.comparison, comparisons)
