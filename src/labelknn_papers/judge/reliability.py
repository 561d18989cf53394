"""How far the reliabilities that a method gives its predicted rankings can be relied on (cheng2009, section 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy

from labelknn.datasets._container import Dataset
from labelknn.ranking.stats._kendall import taus
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.predictions import Predictions

# How much of the predictions is kept, the most reliable ones first.
KEPT = np.linspace(0.05, 1, 20)


class Reliability(NamedTuple):
    """The rank correlation of reliability and tau, and the mean tau of the most reliable shares in KEPT."""

    correlation: float
    tau_of_kept: np.ndarray


def reliability(data: Dataset, splits: Sequence[Split], predictions: Predictions) -> Reliability:
    """Over all test predictions: does a prediction that claims to be reliable come out better?"""
    tested = {(split.repeat, split.fold): split.test for split in splits}
    claimed, achieved = [], []
    for (repeat, fold, _), output in predictions.items():
        claimed.append(output["reliability"])
        achieved.append(taus(np.asarray(data.Y)[tested[repeat, fold]], output["ranks"]))
    claims, quality = np.concatenate(claimed), np.concatenate(achieved)
    order = np.argsort(-claims, kind="stable")
    running = np.cumsum(quality[order]) / np.arange(1, len(order) + 1)
    kept = np.maximum(1, np.round(KEPT * len(order)).astype(int))
    return Reliability(float(scipy.stats.spearmanr(claims, quality).statistic), running[kept - 1])
