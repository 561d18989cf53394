"""Numbers of cheng2009 that follow from the sizes of its data."""

from __future__ import annotations

from collections.abc import Mapping

from labelknn_papers.plan.protocol import Protocol


def with_a_test_fold_for_each_other(facts: Mapping[str, float], protocol: Protocol) -> int:
    """The training rows, and the test fold once for each of the other folds: with ten folds n + 8 ⌊n/10⌋.

    >>> with_a_test_fold_for_each_other({"instances": 150}, Protocol("cross-validation", 5, 10))
    270
    """
    assert protocol.folds is not None
    rows = int(facts["instances"])
    fold = rows // protocol.folds
    return rows - fold + (protocol.folds - 1) * fold
