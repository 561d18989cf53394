"""C4.5 decision trees on numeric features, as Weka's J48 grows and prunes them by default.

Cheng, Hühn & Hüllermeier (2009, section 6.2) give the size of a label ranking tree relative to the tree that J48 learns
when the label ranked first is the class. That takes J48's number of leaves, so what counts here is to find the same
tree. The method is Quinlan's (C4.5: Programs for Machine Learning, 1993; Improved use of continuous attributes in C4.5,
JAIR 4, 1996); his descriptions leave details open, which are settled as Weka 3.9.7 was observed to settle them:
docs/methods/c45.md has them all.

Cost: each feature is sorted once, and the sorted rows are partitioned at each split as in CART; a level of the tree
takes O(n d) operations beside O(d q) for each node. Pruning adds for each node the walks of its smaller branch's
examples down the larger branch. Memory: about 45 + 20 d + 4 q bytes for each example with a `min_leaf` of 2.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from labelknn.errors import DataError
from labelknn.solvers._c45_pruning import collapse, prune
from labelknn.solvers._c45_split import grow
from labelknn.solvers._c45_tree import Tree, reachable


def c45(X: np.ndarray, classes: np.ndarray, q: int, confidence: float = 0.25, min_leaf: int = 2) -> Tree:
    """The pruned tree that tells the classes 0..q-1 of the rows of X, finite float64, from each other.

    q : number of classes of the problem, whichever of them occur.
    confidence : of the limit that pruning uses, above 0 and at most 0.5; the smaller, the more is pruned.
    min_leaf : least number of examples on each side of a split.

    >>> import numpy as np
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> tree = c45(X, np.array([0, 0, 0, 1, 1, 1]), 2)
    >>> tree.n_leaves, tree.predict(np.array([[0.2], [0.3]])).tolist()
    (2, [0, 1])
    """
    if not 0 < confidence <= 0.5:
        raise DataError(f"confidence must be above 0 and at most 0.5, got {confidence}")
    if min_leaf < 1:
        raise DataError(f"min_leaf must be at least 1, got {min_leaf}")
    if classes.shape != (len(X),):
        raise DataError(
            f"{len(X)} rows of features but classes of shape {classes.shape}; expected a class for each row"
        )
    if len(X) == 0:
        raise DataError("no training rows; expected at least one")
    if not 0 <= classes.min() <= classes.max() < q:
        raise DataError(f"classes from {classes.min()} to {classes.max()}; expected 0 to {q - 1}")
    tree, examples = grow(np.ascontiguousarray(X.T), np.ascontiguousarray(classes, np.int64), q, min_leaf)
    collapse(tree)
    prune(tree, examples, confidence, ndtri(1 - confidence))
    return reachable(tree)
