"""Try one method on all splits of one data set: its scores, or why there are none."""

import logging

from labelknn.datasets._container import load
from labelknn.errors import LabelknnError
from labelknn.utils._files import atomic
from labelknn_papers.plan.protocol import load_splits
from labelknn_papers.run.cell import Stopwatch, run_cell
from labelknn_papers.run.job import job
from labelknn_papers.run.score import score_cell, write_scores
from labelknn_papers.run.search import load_searched

with job(snakemake.log[0], threads=snakemake.threads):
    data, splits = load(snakemake.input.data), load_splits(snakemake.input.splits)
    searched = load_searched(snakemake.input.neighbors) if snakemake.input.neighbors else None
    scores, reason, clock = [], "", Stopwatch()
    try:
        method, seed = snakemake.params.method, snakemake.params.seed
        predictions, clock = run_cell(data, splits, method, seed, snakemake.params.missing, searched)
        scores = score_cell(snakemake.wildcards.protocol, snakemake.wildcards.method, data, splits, predictions)
    except LabelknnError as error:
        reason = str(error)
    except (MemoryError, OSError):  # the machine's fault, not the method's
        raise
    except Exception as error:  # whatever stops a method belongs into the table
        logging.exception("unexpected error")
        reason = f"{type(error).__name__}: {error}"
    write_scores(snakemake.output.scores, scores)
    clock.write(snakemake.output.times)
    with atomic(snakemake.output.reason) as temporary:
        temporary.write_text(" ".join(reason.split()))
