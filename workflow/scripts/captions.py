"""Captions for Snakemake's own report, from where the config has them."""

from labelknn.utils._files import atomic
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.run.job import job
from labelknn_papers.show.contents import as_rst, captions

with job(snakemake.log[0]):
    plan = plan_of(snakemake)
    for path, (title, caption) in zip(snakemake.output, captions(plan).values(), strict=True):
        with atomic(path) as temporary:
            temporary.write_text(as_rst(title, caption))
