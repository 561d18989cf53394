"""Set one paper's published numbers beside ours, and lay its tables out."""

from pathlib import Path

from labelknn.experiment.job import job
from labelknn.experiment.plan import Plan
from labelknn.reporting.comparison import write_comparison
from labelknn.reporting.results import Results
from labelknn.reporting.tables import write_tables

with job(snakemake.log[0]):
    plan = Plan(snakemake.config, Path(snakemake.scriptdir).resolve().parents[1])
    results = Results.read(snakemake.input.scores, snakemake.input.facts, snakemake.input.sources)
    paper = snakemake.params.paper
    comparisons = results.compare(plan, paper)
    folder = Path(snakemake.output.comparison).parent
    for table, definition in plan.papers[paper]["tables"].items():
        cells = [one for one in comparisons if one.published.table == table]
        write_tables(
            Path(snakemake.output.comparison).parent, table, definition["caption"], cells, definition["layout"]
        )
    write_comparison(snakemake.output.comparison, comparisons)
