"""Data sets that need no download: seeded, small, and with a structure that neighbours can find.

Both are drawn from one model. An instance is a point z, uniform in the cube [-1, 1]^3, and each label has a centre in
the same cube; how well a label fits an instance depends on the distance of the two. The features show z only through a
random linear map with noise, so that their number is free while the neighbourhoods stay those of three dimensions.

* Label rankings: labels by increasing distance, which is Coombs' unfolding model (Coombs, 1950, A Theory of Data).
* Label sets: label j belongs to the instances within a radius of its centre, and the nearest label always belongs. The
  radius of label j is the distance within which a share of 1 / (2 + j) of the instances lies, so that labels go from
  frequent to rare.

In both cases the squared distances carry a little noise. Only uniform numbers and sums of products are used, and
features are rounded, so that the same seed gives the same data wherever PCG64 is PCG64.
"""

from pathlib import Path

import numpy as np
from scipy import sparse

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError

_LATENT = 3
_FEATURE_NOISE = 0.1
_DISTANCE_NOISE = 0.1
_DECIMALS = 6


def read_synthetic_multilabel(
    name: str, folder: Path | None = None, *, n: int, features: int, labels: int, seed: int
) -> Dataset:
    """A multi-label data set of `n` instances; no instance is without a label."""
    X, distances = _draw(name, n, features, labels, seed)
    shares = 1 / (2 + np.arange(labels))
    counts = np.maximum(1, np.floor(shares * n)).astype(int)
    radii = np.sort(distances, axis=0)[counts - 1, np.arange(labels)]
    relevant = distances <= radii
    relevant[np.arange(n), distances.argmin(axis=1)] = True
    return Dataset(name, "multilabel", X, sparse.csr_matrix(relevant), _names("x", features), _names("label", labels))


def read_synthetic_ranking(
    name: str, folder: Path | None = None, *, n: int, features: int, labels: int, seed: int
) -> Dataset:
    """A ranking data set of `n` instances, all labels ranked, without ties."""
    X, distances = _draw(name, n, features, labels, seed)
    order = distances.argsort(axis=1, kind="stable")
    ranks = order.argsort(axis=1, kind="stable") + 1
    return Dataset(name, "ranking", X, ranks, _names("x", features), _names("label", labels))


def _draw(name: str, n: int, features: int, labels: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Features, and the squared distances of instances to labels."""
    for option, value, least in (("n", n, 2), ("features", features, 1), ("labels", labels, 2), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ConfigError(
                f"data set {name!r}: option {option!r} is {value!r}; expected a whole number from {least}"
            )
    generator = np.random.Generator(np.random.PCG64(seed))

    def uniform(rows: int, columns: int) -> np.ndarray:
        return 2 * generator.random((rows, columns)) - 1

    points, centres, loadings = uniform(n, _LATENT), uniform(labels, _LATENT), uniform(_LATENT, features)
    X = np.round(points @ loadings + _FEATURE_NOISE * uniform(n, features), _DECIMALS)
    squared = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(axis=2)
    return X, np.round(squared + _DISTANCE_NOISE * uniform(n, labels), _DECIMALS)


def _names(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{number}" for number in range(1, count + 1))
