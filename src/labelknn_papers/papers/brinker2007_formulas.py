"""Numbers of brinker2007 that follow from the sizes of its data."""

from __future__ import annotations

from collections.abc import Mapping

from labelknn_papers.plan.protocol import Protocol


def rows_to_learn_from(facts: Mapping[str, float], protocol: Protocol) -> int:
    """70 % of the rows, rounded down.

    >>> rows_to_learn_from({"instances": 2465}, Protocol("hold-out", train=0.7))
    1725
    """
    assert protocol.train is not None
    return int(protocol.train * facts["instances"] + 1e-9)


def rows_to_test_on(facts: Mapping[str, float], protocol: Protocol) -> int:
    """The others.

    >>> rows_to_test_on({"instances": 2465}, Protocol("hold-out", train=0.7))
    740
    """
    return int(facts["instances"]) - rows_to_learn_from(facts, protocol)
