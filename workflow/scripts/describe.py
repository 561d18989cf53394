"""What the results of a run are and were made from: an RO-Crate beside them; beside the data also where it ran."""

import json
from pathlib import Path

from labelknn.experiment.job import job
from labelknn.experiment.plan import Plan
from labelknn.experiment.provenance import commit, machine, versions
from labelknn.files import atomic
from labelknn.reporting.crate import write_crate

with job(snakemake.log[0]):
    root = Path(snakemake.scriptdir).resolve().parents[1]
    plan = Plan(snakemake.config, root)
    write_crate(snakemake.output.crate, plan, snakemake.input.files, snakemake.input.sources)
    origin = {
        "commit": commit(root),
        "config_sha256": snakemake.params.config,
        "machine": machine(),
        "seed": plan.config["seed"],
        "versions": versions(),
    }
    with atomic(snakemake.output.provenance) as temporary:
        temporary.write_text(json.dumps(origin, indent=1, sort_keys=True) + "\n")
