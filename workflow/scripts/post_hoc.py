"""What choices change that were made with a look at printed values."""

from dataclasses import replace
from pathlib import Path

from labelknn_papers.judge.claims.sources import our_values
from labelknn_papers.judge.post_hoc import choice_rows, read_choices, write_choices
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.sources import read_unreached
from labelknn_papers.run.job import job
from labelknn_papers.run.store import read_results

with job(snakemake.log[0]):
    plan, folder = plan_of(snakemake), Path(snakemake.output.choices).parent
    results, unreached = read_results(snakemake.input.results), read_unreached(snakemake.input.sources)
    rows = []
    for paper in plan.papers:
        if choices := read_choices(plan, paper):
            values = our_values(plan, paper, folder / paper, results, unreached)
            missing = [one.published.dataset for one in plan.targets[paper] if one.dataset in unreached]
            rows += choice_rows(paper, choices, replace(values, dispensable=missing))
    write_choices(snakemake.output.choices, rows)
