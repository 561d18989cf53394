"""The eight yeast expression tasks of brinker2007: predict from a gene's phylogenetic profile how it is expressed.

The paper's own data (section 6: 2465 genes, profiles of length 24, eight microarray experiments) are gone, but can be
put together again. Five files of the KEBI group hold the profiles, and for five of the experiments a ranking of the
time points, without saying which gene is which; Eisen's table holds the log ratios of 2467 named genes. `reconstruct`
finds out who is who by comparing rankings, and `expression_task` turns an experiment's log ratios into rankings with
ties and a split point, the paper's multilabel rankings.

What to know about Eisen's table as it is available: no value is missing, apparently because gaps were filled. Log
ratios have two decimals, but 3371 of the 194893 values (1.7 %) have three, and only 9 are 0 although about 2700 each
are .01 and -.01, so zeros seem to have been taken for gaps. The KEBI rankings fit zeros in these places: setting the
three-decimal values to 0 raises the share of genes whose rankings agree closely from .84 to .95. The table is used as
it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from labelknn.datasets.container import Dataset
from labelknn.datasets.generate import dense_ranks
from labelknn.errors import DataError, unknown

# The paper's name of each experiment, and how the names of its columns begin. The paper's "dtc" is Eisen's dtt.
TASKS = {
    "alpha": "alpha",
    "elu": "Elu",
    "cdc": "cdc15",
    "spo": "spo",
    "heat": "heat",
    "dtc": "dtt",
    "cold": "cold",
    "diau": "diau",
}
SPLITS = ("gene-mean", "zero")
TIES = ("ordinal", "average")

# The label that stands for the split point: what ranks above it is over-expressed, below it under-expressed.
SPLIT_LABEL = "|"

# A pair of rankings at most this far apart is a close one, and this share of them is the least that is believable.
CLOSE = 4
LEAST_CLOSE = 0.75


@dataclass(frozen=True)
class ExpressionTable:
    """Profiles and log ratios of the same genes, one row each.

    distances : how far the gene's rankings are from those of its profile's row, summed over the experiments.
    runners_up : the same for the next best gene; the larger the gap, the surer the match.
    """

    genes: tuple[str, ...]
    features: np.ndarray
    feature_names: tuple[str, ...]
    log_ratios: np.ndarray
    columns: tuple[str, ...]
    distances: np.ndarray
    runners_up: np.ndarray

    @property
    def close(self) -> float:
        """The share of genes whose match is a close one."""
        return float(np.mean(self.distances <= CLOSE))

    @property
    def margin(self) -> float:
        """The median gap between the match and the runner-up."""
        return float(np.median(self.runners_up - self.distances))


def reconstruct(
    expression: tuple[Sequence[str], Sequence[str], np.ndarray], kebi: Mapping[str, Dataset], ties: str = "ordinal"
) -> ExpressionTable:
    """Give each row of the KEBI files its gene, so that all rankings together are as near as possible.

    expression : gene names, column names and log ratios, as `labelknn.datasets.eisen.read_expression` gives them.
    kebi : the ranking data sets (ranks, 1 for the highest level) by the first letters of their experiment's columns.
    ties : equal log ratios get "ordinal" ranks, in the order of the columns, or "average" ranks. With average ranks
        all genes come out in alphabetical order, which cannot be chance and so is the true order; with
        ordinal ranks three pairs of genes of near-identical expression (six rows) change places.
    """
    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES, "yeast expression")
    genes, columns, log_ratios = expression
    if np.isnan(log_ratios).any():
        gene, column = np.argwhere(np.isnan(log_ratios))[0]
        raise DataError(f"yeast expression: gene {genes[gene]} has no value in column {columns[column]!r}")
    features, feature_names = _profiles(kebi)
    known = np.hstack([np.asarray(data.Y) for data in kebi.values()])
    named = np.hstack([_ranks(log_ratios, columns, prefix, data, ties) for prefix, data in kebi.items()])
    if len(named) < len(known):
        raise DataError(f"yeast expression: {len(known)} profiles but only {len(named)} genes with log ratios")
    distances = cdist(known, named, "cityblock")
    rows, matches = linear_sum_assignment(distances)
    matched = distances[rows, matches]
    distances[rows, matches] = np.inf
    table = ExpressionTable(
        tuple(genes[match] for match in matches),
        features,
        feature_names,
        log_ratios[matches],
        tuple(columns),
        matched,
        distances.min(axis=1),
    )
    if table.close < LEAST_CLOSE:
        raise DataError(
            f"yeast expression: only {table.close:.0%} of the profiles have a gene with about the same rankings, "
            f"expected at least {LEAST_CLOSE:.0%}; the files do not belong together"
        )
    return table


def expression_task(table: ExpressionTable, task: str, split: str = "gene-mean") -> Dataset:
    """One experiment as a ranking data set: its time points from the highest expression to the lowest, ties kept.

    The last label, "|", is the "zero expression level" of the paper. split : "gene-mean", the mean of all the gene's
    log ratios, which the paper's figures speak for, or "zero", a log ratio of 0.
    """
    if task not in TASKS:
        raise unknown("task", task, TASKS, "yeast expression")
    if split not in SPLITS:
        raise unknown("split point", split, SPLITS, "yeast expression")
    chosen = _experiment(table.columns, TASKS[task])
    level = table.log_ratios.mean(axis=1) if split == "gene-mean" else np.zeros(len(table.genes))
    ranks = dense_ranks(-np.column_stack([table.log_ratios[:, chosen], level]))
    labels = (*(table.columns[column] for column in chosen), SPLIT_LABEL)
    return Dataset(task, "ranking", table.features, ranks, table.feature_names, labels)


def _profiles(kebi: Mapping[str, Dataset]) -> tuple[np.ndarray, tuple[str, ...]]:
    """The features, which all KEBI files must share row by row."""
    first, *others = kebi.values()
    for other in others:
        if not np.array_equal(first.X, other.X):
            raise DataError(f"yeast expression: {first.name} and {other.name} have different features")
    return first.X, first.feature_names


def _ranks(log_ratios: np.ndarray, columns: Sequence[str], prefix: str, data: Dataset, ties: str) -> np.ndarray:
    chosen = _experiment(columns, prefix)
    if len(chosen) != data.q:
        raise DataError(f"yeast expression: {len(chosen)} columns {prefix}*, but {data.name} ranks {data.q} labels")
    return rankdata(-log_ratios[:, chosen], axis=1, method=ties)


def _experiment(columns: Sequence[str], prefix: str) -> list[int]:
    chosen = [number for number, column in enumerate(columns) if column.startswith(prefix)]
    if not chosen:
        raise DataError(f"yeast expression: no column begins with {prefix!r}, found {', '.join(columns)}")
    return chosen
