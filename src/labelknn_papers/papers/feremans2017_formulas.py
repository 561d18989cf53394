"""Numbers of feremans2017 that follow from the sizes of its data."""

from __future__ import annotations

from collections.abc import Mapping

from labelknn_papers.plan.protocol import Protocol


def all_rows(facts: Mapping[str, float], protocol: Protocol) -> int:
    """Those of the training and of the test part.

    >>> all_rows({"instances": 5000}, Protocol("public-split"))
    5000
    """
    return int(facts["instances"])
