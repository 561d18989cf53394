"""Label sets, rankings with ties and split points as one thing: bucket orders (brinker2007, sections 4 and 5).

A bucket order is a complete row of ranks as in `labelknn.datasets._container`: 1 is best, equal ranks share a bucket,
and only the order counts. Its last column is the virtual label, the split point between relevant and irrelevant labels.
A label set is the bucket order (relevant labels, virtual label, irrelevant labels).

The split point may stand for p virtual labels. Section 5 expands them "implicitly", and that takes one sum: p - 1 more
virtual labels push a label behind them back by p - 1, one in their own bucket by (p - 1) / 2, and one before them not
at all. So generalised ranks, and their means, are linear in p: ``(positions + (p - 1) * gaps) / 2``, where `positions`
are twice the generalised ranks for p = 1 and `gaps` are 0 before, 1 within and 2 behind the split bucket. Both are
whole numbers, so sums of them are exact. For p = ∞ the gaps decide, and the positions where gaps are equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, isinf

import numpy as np

from labelknn.errors import DataError

# Means of weighted ranks carry rounding errors. Those that agree to so many decimals are tied.
DECIMALS = 9


def from_label_sets(sets: np.ndarray) -> np.ndarray:
    """Label sets, (n, c) bool, as bucket orders (relevant, virtual, irrelevant); either side may be empty.

    >>> import numpy as np
    >>> from_label_sets(np.array([[True, False, True]]))
    array([[1., 3., 1., 2.]])
    """
    return np.column_stack([np.where(sets, 1.0, 3.0), np.full(len(sets), 2.0)])


def relevant(orders: np.ndarray) -> np.ndarray:
    """The label sets, (n, c) bool: labels strictly before the split point; one in its bucket is not relevant."""
    return orders[:, :-1] < orders[:, -1:]


def positions(orders: np.ndarray) -> np.ndarray:
    """Twice the generalised ranks, i.e. twice the mean position within a bucket (section 4), for one virtual label."""
    best_first = np.argsort(orders, axis=-1, kind="stable")
    ranks, places = np.take_along_axis(orders, best_first, axis=-1), np.arange(orders.shape[-1])
    begins = np.ones(ranks.shape, bool)
    begins[..., 1:] = ranks[..., 1:] != ranks[..., :-1]
    ends = np.roll(begins, -1, axis=-1)  # the first place begins a bucket, so the last one ends one
    first = np.maximum.accumulate(np.where(begins, places, 0), axis=-1)
    last = np.minimum.accumulate(np.where(ends, places, len(places))[..., ::-1], axis=-1)[..., ::-1]
    doubled = np.empty(ranks.shape, np.int64)
    np.put_along_axis(doubled, best_first, first + last + 2, axis=-1)
    return doubled


def gaps(orders: np.ndarray) -> np.ndarray:
    """What each further virtual label adds to `positions`: 0 before the split bucket, 1 within, 2 behind it."""
    return 1 + np.sign(orders - orders[:, -1:]).astype(np.int64)


def generalised_ranks(orders: np.ndarray, p: float = 1) -> np.ndarray:
    """Each label's mean position within its bucket, with p virtual labels at the split point.

    >>> import numpy as np
    >>> generalised_ranks(np.array([[1, 3, 3, 3, 3, 2]]), p=3)
    array([[1. , 6.5, 6.5, 6.5, 6.5, 3. ]])
    """
    return (positions(orders) + (p - 1) * gaps(orders)) / 2


def check_virtual_labels(p: float) -> None:
    """Refuse a number of virtual labels that is not 1, 2, ... or ∞."""
    if not (p >= 1 and (isinf(p) or p == int(p))):
        raise DataError(f"p = {p} virtual labels, expected a whole number from 1 on, or infinity ({inf})")


def order_by_mean_ranks(mean_positions: np.ndarray, mean_gaps: np.ndarray, p: float) -> np.ndarray:
    """The strict ranks that are l2-optimal for bucket orders with these means of `positions` and `gaps` (Theorem 1)."""
    if isinf(p):
        return strict_ranks(mean_gaps, mean_positions)
    return strict_ranks(mean_positions + (p - 1) * mean_gaps)


def strict_ranks(*keys: np.ndarray) -> np.ndarray:
    """Rank labels, along the last axis, by the smallest first key, equal ones by the next key, and so on.

    Among labels that are equal in all keys (Theorem 1 allows any order of these) the virtual label comes first, so that
    a label must be better than it to be relevant, then the lower label index.
    """
    # lexsort takes the most important key last, and leaves equal entries in their order.
    virtual_first = [np.roll(np.round(key, DECIMALS), 1, axis=-1) for key in reversed(keys)]
    best_first = np.lexsort(virtual_first, axis=-1)
    ranks = np.empty(best_first.shape, np.int64)
    np.put_along_axis(ranks, best_first, np.arange(1, best_first.shape[-1] + 1), axis=-1)
    return np.roll(ranks, -1, axis=-1)


def spearman(ranks: np.ndarray, others: np.ndarray) -> np.ndarray:
    """1 - 6 l2 / (m (m² - 1)) of rows of m generalised ranks, with l2 of equation (1), along the last axis."""
    m = ranks.shape[-1]
    return 1 - 6 * np.square(ranks - others).sum(axis=-1) / (m * (m * m - 1))


def order_text(ranks: Sequence[float] | np.ndarray, names: Sequence[str]) -> str:
    """One bucket order to read, buckets from the best to the worst and "|" for the split point.

    >>> order_text([1, 2, 4, 4, 3], ["pol", "eco", "edu", "spo"])
    'pol > eco > | > edu spo'
    """
    names = [*names, "|"]
    buckets: dict[float, list[str]] = {}
    for label in np.argsort(ranks, kind="stable"):
        buckets.setdefault(float(ranks[label]), []).append(names[label])
    return " > ".join(" ".join(bucket) for bucket in buckets.values())
