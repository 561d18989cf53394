"""Get the raw files of one data set, and write down what could be had."""

import logging
from pathlib import Path

from labelknn.datasets._fetch import SILENT, Status, fetch
from labelknn.errors import SourceUnreachable
from labelknn.utils._files import atomic
from labelknn_papers.run.job import job

with job(snakemake.log[0]):
    name = snakemake.wildcards.dataset
    mirror = Path(snakemake.params.mirror) if snakemake.params.mirror else None
    folder = Path(snakemake.params.folder)
    try:
        status = fetch(name, snakemake.params.entry, folder, mirror, silent=folder.parent / SILENT)
    except SourceUnreachable as error:
        logging.warning("%s", error)
        status = Status(name, reached=False, reason="source unreachable")
    with atomic(snakemake.output.status) as temporary:
        temporary.write_text(status.to_json())
