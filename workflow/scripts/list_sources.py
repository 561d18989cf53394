"""Which data sets could be had, and from where; in a strict run, one that could not is an error."""

from labelknn.datasets._fetch import Status
from labelknn.errors import DataError
from labelknn.utils._files import write_table
from labelknn_papers.run.job import job

with job(snakemake.log[0]):
    found = {}
    for path in snakemake.input.status:
        status = Status.read(path)
        found[status.dataset] = status
    # A data set that is made from others can be had if all of them can; they come before it.
    for name, bases in snakemake.params.generated.items():
        lacking = [found[base].reason for base in bases if not found[base].reached]
        found[name] = Status(name, reached=not lacking, reason=lacking[0] if lacking else None)
    missing = [f"{status.dataset} ({status.reason})" for status in found.values() if not status.reached]
    if missing and snakemake.params.strict:
        raise DataError(f"strict run, but these data sets cannot be had: {', '.join(missing)}")
    rows = [(status.dataset, status.reached, status.source, status.reason) for status in found.values()]
    write_table(snakemake.output.sources, ("dataset", "reached", "source", "reason"), rows)
