"""Which data sets could be had, and from where; in a strict run, one that could not is an error."""

from pathlib import Path

from labelknn.datasets.fetch import Status
from labelknn.errors import DataError
from labelknn.experiment.job import job
from labelknn.reporting.comparison import write_table

with job(snakemake.log[0]):
    found = [Status.from_json(Path(path).read_text()) for path in snakemake.input.status]
    missing = [f"{status.dataset} ({status.reason})" for status in found if not status.reached]
    if missing and snakemake.params.strict:
        raise DataError(f"strict run, but these data sets cannot be had: {', '.join(missing)}")
    rows = [(status.dataset, status.reached, status.source, status.reason) for status in found]
    write_table(snakemake.output.sources, ("dataset", "reached", "source", "reason"), rows)
