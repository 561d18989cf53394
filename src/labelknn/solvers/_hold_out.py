"""The rows that a method holds out of its training part to choose its parameters on."""

from __future__ import annotations

import numpy as np

from labelknn.errors import DataError
from labelknn.utils._parameters import seed_of

# brinker2007, section 6: "training on a randomly selected subsample comprising 70% of the training set".
VALIDATION_SHARE = 0.7


def hold_out(n: int, share: float, random_state: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers to learn from, a random `share` of n, and the others to judge on; both increasing.

    Methods with the same `random_state` hold out the same rows, so they differ in nothing but what they are.
    """
    order = np.random.default_rng(seed_of(random_state)).permutation(n)
    size = int(share * n + 1e-9)
    if not 0 < size < n:
        raise DataError(f"{n} training rows are too few to hold out {1 - share:.0%} of them")
    return np.sort(order[:size]), np.sort(order[size:])
