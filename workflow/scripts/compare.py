"""Set one paper's published numbers beside ours, lay its tables out, and test what they say."""

from pathlib import Path

from labelknn.experiment.job import job
from labelknn.experiment.plan import Plan
from labelknn.files import write_table
from labelknn.reporting import paired
from labelknn.reporting.comparison import write_comparison
from labelknn.reporting.contents import PICTURES
from labelknn.reporting.figures import save_figure
from labelknn.reporting.own import write_own
from labelknn.reporting.results import Results
from labelknn.reporting.tables import write_tables
from labelknn.reporting.times import time_cells, write_times

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
