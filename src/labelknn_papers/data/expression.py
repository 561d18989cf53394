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

from labelknn.datasets._container import SPLIT_LABEL, Dataset
from labelknn.errors import DataError, unknown
from labelknn_papers.data.generate import dense_ranks

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
ZERO_LEVELS = ("gene-mean", "zero")
TIES = ("ordinal", "average")

# A pair of rankings at most this far apart is a close one, and this share of them is the least that is believable.
CLOSE = 4
LEAST_CLOSE = 0.75


@dataclass(frozen=True)
class Matching:
    """How sure the genes of a reconstruction are, one entry for each.

    distances : how far the gene's rankings are from those of its profile's row, summed over the experiments.
    runners_up : the same for the next best gene; the larger the gap, the surer the match.
    """

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


def reconstruct(expression: Dataset, kebi: Mapping[str, Dataset], ties: str = "ordinal") -> tuple[Dataset, Matching]:
    """Give each row of the KEBI files its gene, so that all rankings together are as near as possible.

    The table that comes out has one row for each gene, with its profile and its log ratios as features.

    expression : log ratios with genes as row names, as `labelknn_papers.data.eisen.read_eisen` gives them.
    kebi : the ranking data sets (ranks, 1 for the highest level) by the first letters of their experiment's columns.
    ties : equal log ratios get "ordinal" ranks, in the order of the columns, or "average" ranks. With average ranks
        all genes come out in alphabetical order, which cannot be chance and so is the true order; with
        ordinal ranks three pairs of genes of near-identical expression (six rows) change places.
    """
    if ties not in TIES:
        raise unknown("rule for ties", ties, TIES, expression.name)
    genes, columns, log_ratios = expression.row_names, expression.feature_names, np.asarray(expression.X)
    if np.isnan(log_ratios).any():
        gene, column = np.argwhere(np.isnan(log_ratios))[0]
        raise DataError(f"{expression.name}: gene {genes[gene]} has no value in column {columns[column]!r}")
    profiles = _profiles(kebi)
    known = np.hstack([np.asarray(data.Y) for data in kebi.values()])
    named = np.hstack([_ranks(log_ratios, columns, prefix, data, ties) for prefix, data in kebi.items()])
    if len(named) < len(known):
        raise DataError(f"{expression.name}: {len(known)} profiles but only {len(named)} genes with log ratios")
    distances = cdist(known, named, "cityblock")
    rows, matches = linear_sum_assignment(distances)
    matched = distances[rows, matches]
    distances[rows, matches] = np.inf
    matching = Matching(matched, distances.min(axis=1))
    if matching.close < LEAST_CLOSE:
        raise DataError(
            f"{expression.name}: only {matching.close:.0%} of the profiles have a gene with about the same rankings, "
            f"expected at least {LEAST_CLOSE:.0%}; the files do not belong together"
        )
    table = Dataset(
        expression.name,
        "regression",
        np.hstack([profiles.X, log_ratios[matches]]),
        None,
        (*profiles.feature_names, *columns),
        row_names=tuple(genes[match] for match in matches),
    )
    return table, matching


def expression_task(table: Dataset, task: str, zero_level: str = "gene-mean") -> Dataset:
    """One experiment as a ranking data set: its time points from the highest expression to the lowest, ties kept.

    table : what `reconstruct` gives: profiles and log ratios, told apart by the names of the columns.
    zero_level : where the last label, "|", stands, the "zero expression level" of the paper: "gene-mean", the mean of
        all the gene's log ratios, which the paper's figures speak for, or "zero", a log ratio of 0.
    """
    if task not in TASKS:
        raise unknown("task", task, TASKS, table.name)
    if zero_level not in ZERO_LEVELS:
        raise unknown("zero level", zero_level, ZERO_LEVELS, table.name)
    names = table.feature_names
    measured = [column for column, name in enumerate(names) if name.startswith(tuple(TASKS.values()))]
    profile = [column for column in range(table.d) if column not in measured]
    chosen = _experiment(names, TASKS[task])
    level = table.X[:, measured].mean(axis=1) if zero_level == "gene-mean" else np.zeros(table.n)
    ranks = dense_ranks(-np.column_stack([table.X[:, chosen], level]))
    return Dataset(
        task,
        "ranking",
        table.X[:, profile],
        ranks,
        tuple(names[column] for column in profile),
        (*(names[column] for column in chosen), SPLIT_LABEL),
        row_names=table.row_names,
    )


def _profiles(kebi: Mapping[str, Dataset]) -> Dataset:
    """The features, which all KEBI files must share row by row."""
    first, *others = kebi.values()
    for other in others:
        if not np.array_equal(first.X, other.X):
            raise DataError(f"yeast expression: {first.name} and {other.name} have different features")
    return first


def _ranks(log_ratios: np.ndarray, columns: Sequence[str], prefix: str, data: Dataset, ties: str) -> np.ndarray:
    chosen = _experiment(columns, prefix)
    if len(chosen) != data.q:
        raise DataError(f"yeast expression: {len(chosen)} columns {prefix}*, but {data.name} ranks {data.q} labels")
    from scipy.stats import rankdata  # a second to import, and only the reconstruction needs it

    return rankdata(-log_ratios[:, chosen], axis=1, method=ties)


def _experiment(columns: Sequence[str], prefix: str) -> list[int]:
    chosen = [number for number, column in enumerate(columns) if column.startswith(prefix)]
    if not chosen:
        raise DataError(f"yeast expression: no column begins with {prefix!r}, found {', '.join(columns)}")
    return chosen
