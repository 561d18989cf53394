"""One neighbour search for all splits of a data set.

Every training part consists of rows of one data set, and how far two rows are apart does not depend on the split. So a
row's neighbours within a training part are its neighbours among all rows, less those that do not train, in the same
order: training rows are in file order, so equal distances go to the lower row in the part as they do in the whole.

Asked for k neighbours within parts that hold a share s of the rows, the search looks for k / s and some more. How many
of these train in a random split has a standard deviation of about √(k (1 − s)); five of them are the margin, and the
few rows that still come out short are searched directly. So the result is that of `k_nearest` on the part, always.
"""

from __future__ import annotations

from math import ceil, sqrt

import numpy as np

from labelknn.errors import DataError
from labelknn.neighbors._euclidean import BLOCK_BYTES, Neighbors, k_nearest
from labelknn.utils._kernels import kernel
from labelknn.utils._threads import over_rows
from labelknn.utils._validation import finite_rows

MARGIN = 5


class SharedSearch:
    """The nearest rows of each row of X, found once, for `restricted` to cut down to the training part of a split.

    Memory: 12 bytes a neighbour, so 12 n k / s or a little more; the search itself goes by blocks of rows.

    Parameters
    ----------
    X : (n, d), all rows of the data set.
    k : the most neighbours that `restricted` will be asked for.
    share : the smallest share of the rows that a training part holds.

    >>> import numpy as np
    >>> search = SharedSearch(np.array([[0.0], [1.0], [3.0], [1.0]]), k=1, share=0.75)
    >>> search.restricted(np.array([0, 2, 3]), k=1).indices
    array([[2],
           [2],
           [0]], dtype=int32)
    """

    def __init__(self, X: np.ndarray, k: int, share: float) -> None:
        self.X = finite_rows(X, "X")
        width = min(width_for(k, share), len(self.X) - 1)
        if width < 1:
            raise DataError(f"k = {k} neighbours asked for, {len(self.X) - 1} rows to choose from")
        self.indices = np.empty((len(self.X), width), np.int32)
        self.distances = np.empty((len(self.X), width))
        rows = max(1, BLOCK_BYTES // (16 * (width + 1)))
        for start in range(0, len(self.X), rows):
            block = slice(start, min(start + rows, len(self.X)))
            found = nearest_others(self.X, np.arange(block.start, block.stop), width)
            self.indices[block], self.distances[block] = found.indices, found.distances

    def restricted(self, rows: np.ndarray, queries: np.ndarray | None = None, *, k: int) -> Neighbors:
        """The k nearest of the training `rows` to each query, as positions within `rows`.

        Both are row numbers of the data set, `rows` in increasing order. Without `queries`: nearest to each training
        row among the others.
        """
        return restricted(self.X, Neighbors(self.indices, self.distances), rows, queries, k=k)


def restricted(
    X: np.ndarray, found: Neighbors, rows: np.ndarray, queries: np.ndarray | None = None, *, k: int
) -> Neighbors:
    """The same from neighbours of each row of X that were found before, however many these are."""
    rows = np.asarray(rows)
    if (np.diff(rows) <= 0).any():
        raise DataError("the training rows are not in increasing order, each once")
    leave_one_out = queries is None
    queries = rows if queries is None else np.asarray(queries)
    candidates = len(rows) - leave_one_out
    if not 1 <= k <= candidates:
        raise DataError(f"k = {k} neighbours asked for, {candidates} rows to choose from")
    position = np.full(len(X), -1, np.int32)
    position[rows] = np.arange(len(rows))
    indices = np.empty((len(queries), k), np.int32)
    distances = np.empty((len(queries), k))
    short = np.empty(len(queries), bool)
    near, far = np.ascontiguousarray(found.indices, np.int32), np.ascontiguousarray(found.distances)
    over_rows(_filter, len(queries), near, far, position, queries, indices, distances, short)
    if not leave_one_out:
        short |= position[queries] >= 0  # a query that trains as well finds itself, which the search left out
    if short.any():
        part = X[rows]
        if leave_one_out:
            again = nearest_others(part, np.flatnonzero(short), k)
        else:
            again = k_nearest(part, k, X[queries[short]])
        indices[short], distances[short] = again.indices, again.distances
    return Neighbors(indices, distances)


def width_for(k: int, share: float) -> int:
    """How many neighbours among all rows to look for, so that k of them are in a random part with this share."""
    return ceil((k + MARGIN * sqrt(max(k, 0) * (1 - share))) / share)


def nearest_others(X: np.ndarray, rows: np.ndarray, k: int) -> Neighbors:
    """The k nearest rows of X to some of its rows, each without itself."""
    found = k_nearest(X, k + 1, X[rows])
    dropped = found.indices == rows[:, None]
    # A row with more than k duplicates before it does not find itself, and has one neighbour too many.
    dropped[~dropped.any(axis=1), -1] = True
    kept = ~dropped
    return Neighbors(found.indices[kept].reshape(-1, k), found.distances[kept].reshape(-1, k))


@kernel
def _filter(start, stop, near, far, position, queries, indices, distances, short):
    """Fill in the first neighbours of each query that have a position in the part, and whether there are too few."""
    k = indices.shape[1]
    for i in range(start, stop):
        query, count = queries[i], 0
        for rank in range(near.shape[1]):
            place = position[near[query, rank]]
            if place >= 0:
                indices[i, count] = place
                distances[i, count] = far[query, rank]
                count += 1
                if count == k:
                    break
        short[i] = count < k
