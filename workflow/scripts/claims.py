"""Decide the papers' claims, by our numbers and by the printed ones."""

from pathlib import Path

from labelknn_papers.judge.claims.decide import decide_all, write_claims, write_measured
from labelknn_papers.judge.claims.definitions import read_claims
from labelknn_papers.judge.claims.sources import our_values
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.store import read_results

with job(snakemake.log[0]):
    plan, folder = plan_of(snakemake), Path(snakemake.output.claims).parent
    results, unreached = read_results(snakemake.input.results), read_unreached(snakemake.input.sources)
    decided = []
    for paper, claims in read_claims(plan).items():
        decided += decide_all(claims, our_values(plan, paper, folder / paper, results, unreached))
    write_claims(snakemake.output.claims, decided)
    write_measured(snakemake.output.seconds, decided)
