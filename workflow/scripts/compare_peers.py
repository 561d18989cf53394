"""Of the labels that two libraries predict by the same method, how many differ, and how many have a known cause."""

import logging
from pathlib import Path

from labelknn.datasets._container import load
from labelknn.utils._files import write_table
from labelknn_papers.judge.peers import Cause
from labelknn_papers.plan.plan import plan_of
from labelknn_papers.plan.protocol import load_splits
from labelknn_papers.run.job import job
from labelknn_papers.run.peers import differing
from labelknn_papers.run.predictions import load_predictions
from labelknn_papers.run.store import read_results

with job(snakemake.log[0]):
    plan, key = plan_of(snakemake), snakemake.params.comparison
    results, causes = read_results(snakemake.input.results), []
    data_of = {Path(path).stem: path for path in snakemake.input.data}
    splits_of = {Path(path).parts[-2:]: path for path in snakemake.input.splits}
    entries = {(one.method, one.cell.dataset, one.condition): one for one in plan.entries(key)}
    for pair in plan.comparisons[key]["peers"]:
        for (method, dataset, condition), ours in entries.items():
            theirs = entries[pair["theirs"], dataset, condition]
            found = [results[one.cell.path].predictions for one in (ours, theirs) if one.cell.path in results]
            if method != pair["ours"] or "alike" not in pair or len(list(filter(None, found))) < 2:
                continue
            counted = differing(
                load(data_of[dataset]),
                load_splits(splits_of[ours.cell.protocol.complete.id, f"{dataset}.npz"]),
                plan.methods[ours.cell.method],
                pair["alike"],
                (load_predictions(found[0]), load_predictions(found[1])),
                ours.setting,
            )
            logging.info("%s beside %s on %s: %s", method, pair["theirs"], dataset, counted)
            causes.append(Cause(pair["ours"], pair["theirs"], condition, dataset, *counted))
    write_table(snakemake.output.causes[0], Cause._fields, causes)
