"""What the results of a run are and were made from: an RO-Crate beside them; beside the data also where it ran."""

import json

from labelknn.utils._files import atomic
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.job import job
from labelknn_papers.run.provenance import commit, machine, versions
from labelknn_papers.show.crate import write_crate

with job(snakemake.log[0]):
    plan = plan_of(snakemake)
    write_crate(snakemake.output.crate, plan, snakemake.input.files, snakemake.input.sources)
    origin = {
        "commit": commit(plan.root),
        "config_sha256": snakemake.params.config,
        "machine": machine(),
        "seed": plan.config["seed"],
        "versions": versions(),
    }
    with atomic(snakemake.output.provenance) as temporary:
        temporary.write_text(json.dumps(origin, indent=1, sort_keys=True) + "\n")
