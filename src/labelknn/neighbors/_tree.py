"""A k-d tree finds slightly more than the k nearest rows, where features are few: see `_euclidean`."""

from __future__ import annotations

import numba
import numpy as np

# A tree pays from about this many rows and up to this many features. Its time doubles with each feature and grows with
# k, that of the products with the rows (measured on the label-ranking data).
TREE_ROWS, TREE_FEATURES = 1000, 10
# How many more than k it is asked for: enough to see past the usual duplicates and ties.
TREE_EXTRA = 4


def tree_pays(n: int, d: int, k: int) -> bool:
    return d <= TREE_FEATURES and n >= TREE_ROWS * max(1, k * 2**d / 128)


def tree_candidates(X: np.ndarray, queries: np.ndarray, k: int, leave_one_out: bool) -> tuple[np.ndarray, np.ndarray]:
    """Which queries a k-d tree decides, and for each the numbers of some rows that have these queries' k nearest."""
    from scipy.spatial import cKDTree  # here, since it takes a quarter of a second, and few searches need it

    tree = cKDTree(X)
    last = k + leave_one_out - 1  # the row itself is found too
    count = min(last + 1 + TREE_EXTRA, len(X))
    distances, found = tree.query(queries, count, workers=numba.get_num_threads())
    distances, found = distances.reshape(-1, count), found.reshape(-1, count)
    # The tree sums squared differences, so its rounding is relative, some (d + depth) ε; 1e-9 is far beyond that,
    # and 1e-290 covers squares that underflow.
    decided = distances[:, -1] ** 2 * (1 - 1e-9) > distances[:, last] ** 2 * (1 + 1e-9) + 1e-290
    decided |= count == len(X)
    found.sort(axis=1)
    return decided, found
