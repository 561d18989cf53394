"""Read the raw files of one data set into the array format that all methods take."""

import json
from pathlib import Path

from labelknn.datasets.container import save
from labelknn.datasets.fetch import Status
from labelknn.datasets.prepare import prepare
from labelknn.experiment.job import job
from labelknn.files import atomic

with job(snakemake.log[0]):
    status = Status.from_json(Path(snakemake.input.status).read_text())
    data, facts = prepare(snakemake.wildcards.dataset, snakemake.params.entry, status, Path(snakemake.params.folder))
    save(data, snakemake.output.data)
    with atomic(snakemake.output.facts) as temporary:
        temporary.write_text(json.dumps(facts, indent=1) + "\n")
