"""Ranking-based k-nearest neighbours (Chiang, Lo & Lin 2012): learn whose labels to trust, then let them vote.

A linear ranking model orders the k nearest neighbours of a row by how close their label sets are expected to be to the
row's own (Algorithm 2), and the re-ranked neighbours vote with weights by rank (Algorithm 1). The model is trained on
80 % of the training rows, each with its neighbours among the others of these; the weights on the 20 % held out, whose
neighbours are searched in the same 80 % (section 3.2). Queries have their neighbours among all training rows.

What differs from the paper's text, or is left open there:

- The feature differences x̃ − x of Algorithm 2 enter as absolute values. With signs, the query cancels in every
  comparison of two of its neighbours, so that a linear model could not tell how far they are from it; the published
  results are out of reach then. `differences="signed"` is the text's form.
- Ranking SVM: squared hinge loss on all pairs of neighbours at different Hamming distances, with a fixed C.
- Passive-aggressive and perceptron with margins: 100,000 random pairs, margin 1, step 1/(λ t) with λ = 0.1 for the
  perceptron: the defaults of Sculley's program sofia-ml, whose paper is cited.
- The perceptron "pm" is that of sofia-ml with its fault: its step for pairs (SingleMarginPerceptronRankStep) tests the
  margin with the sign of the pair but moves without it, so half of the steps go the wrong way. The published results
  are those of a ranking that knows next to nothing, which this gives. "pm-corrected" steps in the right direction.
- The logistic regressions of section 4.4 are trained on all training rows, whose neighbours are re-ranked like those
  of a query: on the held-out rows alone they come out far worse than printed.
- The cosine distance to a row of zeros is 1. Neighbours of equal score stay in the order of their distance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numba
import numpy as np
from scipy import sparse
from scipy.special import expit
from threadpoolctl import threadpool_limits

from labelknn.errors import DataError, unknown
from labelknn.multilabel._feature_knn import SLACK
from labelknn.multilabel._neighbor_oracle import hamming_distances
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.solvers._newton_cg import Rows, finite_features
from labelknn.solvers._pattern_search import find_weights
from labelknn.solvers._weka_logistic import fit_logistic
from labelknn.utils._base import MultilabelMethod, NeighborMethod, as_label_sets

DIFFERENCES = ("absolute", "signed")
WEIGHTS = ("gps", "linear", "logistic")


class RankedNeighbors(NeighborMethod, MultilabelMethod):
    """Weighted votes of neighbours that a ranking model has put in order.

    One fit learns up to three kinds of weights, which `outputs` gives side by side (chiang2012, section 4.4):
    "weights=gps" by pattern search; "weights=linear", k for the first down to 1 for the last; "weights=logistic", a
    logistic regression for each label on all neighbours' labels. `output` and `predict` use the first of `weights`.

    Cost for n rows of d features: the neighbour searches; the ranking model has n k rows of d + q + 2 features, kept as
    sparse as X, and needs some tens of products with them ("svm"), or 100,000 with two of its rows each (others).

    Parameters
    ----------
    k : number of neighbours, at most 20.
    ranker : "svm" (Ranking SVM), "pa" (passive-aggressive), "pm" (perceptron with margins, as sofia-ml has it),
        "pm-corrected" (without its fault), or None: neighbours in the order of their distance.
    differences : "absolute" or "signed" differences between the features of a neighbour and of the query.
    C : Ranking SVM's weight of the loss against ½|w|².
    steps : pairs that "pa" and the perceptrons look at.
    weights : the kinds of weights to learn, of "gps", "linear" and "logistic".
    held_out : share of the training rows that the weights are learned on.
    starts : starting points of the pattern search.
    random_state : seed of the held-out rows, the starting points and the order of pairs.

    Attributes
    ----------
    weights_ : (k,) the weights by pattern search.
    ranker_ : (d + 2 + q,) the ranking model, None if there is no ranker.
    coefficients_, intercepts_ : the logistic regressions, (k q, q) and (q,).

    References
    ----------
    chiang2012, Algorithms 1 and 2 and section 3.2.

    >>> import numpy as np
    >>> X = np.arange(40.0)[:, None] % 20
    >>> Y = np.column_stack([X[:, 0] < 10, X[:, 0] >= 10])
    >>> RankedNeighbors(k=3, random_state=0).fit(X, Y).predict(np.array([[2.0], [17.0]]))
    array([[ True, False],
           [False,  True]])
    """

    k: int

    def __init__(
        self,
        k: int = 10,
        ranker: str | None = "svm",
        differences: str = "absolute",
        C: float = 0.1,
        steps: int = 100_000,
        weights: Sequence[str] = WEIGHTS,
        held_out: float = 0.2,
        starts: int = 300,
        random_state: int | None = None,
    ) -> None:
        self.k = k
        self.ranker = ranker
        self.differences = differences
        self.C = C
        self.steps = steps
        self.weights = weights
        self.held_out = held_out
        self.starts = starts
        self.random_state = random_state

    def fit(
        self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.spmatrix, neighbors: Neighbors | None = None
    ) -> RankedNeighbors:
        """Learn the ranking model and the weights; only the logistic regressions look at `neighbors`."""
        if self.ranker is not None and self.ranker not in RANKERS:
            raise unknown("ranker", self.ranker, RANKERS, "RankedNeighbors")
        for kind in self.weights:
            if kind not in WEIGHTS:
                raise unknown("weights", kind, WEIGHTS, "RankedNeighbors")
        if not len(self.weights):
            raise DataError(f"no kind of weights to learn, expected some of {', '.join(WEIGHTS)}")
        if self.differences not in DIFFERENCES:
            raise unknown("differences", self.differences, DIFFERENCES, "RankedNeighbors")
        if not 0 < self.held_out < 1:
            raise DataError(f"held_out = {self.held_out} is no share between 0 and 1")
        self.rows_ = finite_features(X)
        of_all = self._training_neighbors(self.rows_, neighbors)
        n = len(self.X_)
        self.Y_ = as_label_sets(Y, n)
        rng = np.random.default_rng(self.random_state)
        learned, held = self._divide(n, rng)

        self.ranker_ = None
        if self.ranker is not None:
            found = _among(learned, k_nearest(self.X_[learned], self.k))
            pairs = self._pair_features(self.rows_[learned], found)
            distances = hamming_distances(found.indices, self.Y_.toarray(), self.Y_[learned].toarray())
            self.ranker_ = RANKERS[self.ranker](pairs, distances, self.C, self.steps, rng)
        if "gps" in self.weights:
            found = _among(learned, k_nearest(self.X_[learned], self.k, self.X_[held]))
            votes = self._votes(self.rows_[held], found)
            self.weights_ = find_weights(votes, self.Y_[held].toarray(), rng, self.starts)
        if "logistic" in self.weights:
            votes = self._votes(self.rows_, of_all).reshape(n, -1).astype(float)
            self.coefficients_, self.intercepts_ = fit_logistic(votes, self.Y_.toarray())
        return self

    def output(self, X: np.ndarray | sparse.csr_matrix, neighbors: Neighbors | None = None) -> Mapping[str, np.ndarray]:
        """Label sets and scores with the first kind of weights."""
        return self.outputs(X, neighbors)[f"weights={self.weights[0]}"]

    def outputs(
        self, X: np.ndarray | sparse.csr_matrix, neighbors: Neighbors | None = None
    ) -> dict[str, Mapping[str, np.ndarray]]:
        """Label sets, and shares of the votes or probabilities as scores, with each kind of weights.

        Those by pattern search are given too, as "weights".
        """
        found = self._query_neighbors(X, neighbors)
        votes = self._votes(finite_features(X, self.n_features_in_), found)
        voting: dict[str, Callable[[np.ndarray], dict[str, np.ndarray]]] = {
            "gps": lambda votes: {**_weighted_vote(votes, self.weights_), "weights": self.weights_},
            "linear": lambda votes: _weighted_vote(votes, np.arange(self.k, 0, -1.0)),
            "logistic": self._logistic_vote,
        }
        return {f"weights={kind}": voting[kind](votes) for kind in self.weights}

    def _logistic_vote(self, votes: np.ndarray) -> dict[str, np.ndarray]:
        probabilities = expit(votes.reshape(len(votes), -1) @ self.coefficients_ + self.intercepts_)
        return {"sets": probabilities >= 0.5, "scores": probabilities}

    def _divide(self, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The rows for the ranking model and those held out for the weights, both in file order."""
        order = rng.permutation(n)
        size = round(self.held_out * n)
        if size < 1 or n - size <= self.k:
            raise DataError(
                f"{n} training rows, {size} of them held out: expected at least one, and more than k = {self.k} others"
            )
        return np.sort(order[size:]), np.sort(order[:size])

    def _pair_features(self, queries: Rows, found: Neighbors) -> Rows:
        """q_j of Algorithm 2 for each neighbour of each query, k rows a query."""
        shown = self.rows_[found.indices.ravel()]
        if sparse.issparse(shown):
            own = queries[np.repeat(np.arange(queries.shape[0]), self.k)]
            differences = shown - own
            products = np.asarray(shown.multiply(own).sum(axis=1)).reshape(found.indices.shape)
        else:  # in place: the items are k times as large as X, and most of the time is that of memory
            shown = shown.reshape(*found.indices.shape, -1)
            products = np.einsum("ikj,ij->ik", shown, queries)
            differences = np.subtract(shown, queries[:, None], out=shown).reshape(found.indices.size, -1)
        if self.differences == "absolute":
            differences = abs(differences) if sparse.issparse(differences) else np.abs(differences, out=differences)
        squares = _squared_lengths(self.rows_)[found.indices] * _squared_lengths(queries)[:, None]
        measured = np.column_stack([found.distances.ravel(), _cosine_distances(products, squares).ravel()])
        labels = self.Y_[found.indices.ravel()]
        if sparse.issparse(differences):
            return sparse.hstack([differences, measured, labels], format="csr", dtype=float)
        return np.hstack([differences, measured, labels.toarray()])

    def _votes(self, queries: Rows, found: Neighbors) -> np.ndarray:
        """(n, k, q) bool: which labels each query's neighbours have, the most trusted neighbour first."""
        order = found.indices
        if self.ranker_ is not None:
            scores = (self._pair_features(queries, found) @ self.ranker_).reshape(order.shape)
            order = np.take_along_axis(order, np.argsort(-scores, axis=1, kind="stable"), axis=1)
        return self.Y_.toarray()[order]


def _among(rows: np.ndarray, found: Neighbors) -> Neighbors:
    """Neighbours that were searched among some `rows`, with the numbers these rows have in the whole."""
    return Neighbors(rows[found.indices], found.distances)


def _weighted_vote(votes: np.ndarray, weights: np.ndarray) -> dict[str, np.ndarray]:
    """Equations (8) to (10)."""
    scores = np.tensordot(votes, weights, axes=(1, 0)) / weights.sum()
    return {"sets": scores >= 0.5 - SLACK, "scores": scores}


def _squared_lengths(X: Rows) -> np.ndarray:
    if sparse.issparse(X):
        return np.asarray(sparse.csr_matrix(X).multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def _cosine_distances(products: np.ndarray, squares: np.ndarray) -> np.ndarray:
    """1 − cos of the angle of two rows, from their product and that of their squared lengths; 1 if a row is zero."""
    lengths = np.sqrt(squares)
    return 1 - np.divide(products, lengths, out=np.zeros_like(lengths), where=lengths > 0)


@threadpool_limits.wrap(limits=1, user_api="blas")  # sums in an order that does not depend on the number of threads
def ranking_svm(
    items: Rows, distances: np.ndarray, C: float, steps: int, rng: np.random.Generator, tolerance: float = 1e-3
) -> np.ndarray:
    """Weights w that minimise ½|w|² + C Σ max(0, 1 − w·(q_a − q_b))² over all pairs a, b of a query's items with
    distance a < distance b.

    items : (n k, d), k rows for each query. distances : (n, k).

    Newton's method with conjugate gradients (Chapelle & Keerthi 2010): the pairs only ever enter through the scores of
    the items, so a product with all their differences costs one with the items and a pass over each query's pairs.
    """
    weights, scores = np.zeros(items.shape[1]), np.zeros(distances.shape)
    first = None
    for _ in range(50):
        loss, slopes = _pair_loss(scores, distances)
        value = weights @ weights / 2 + C * loss
        gradient = weights + C * (items.T @ slopes.ravel())
        size = np.linalg.norm(gradient)
        first = size if first is None else first
        if size <= tolerance * first:
            break

        def curvature(vector: np.ndarray, at: np.ndarray = scores) -> np.ndarray:
            along = (items @ vector).reshape(distances.shape)
            return vector + C * (items.T @ _pair_curvature(at, distances, along).ravel())

        step = _conjugate_gradients(curvature, -gradient, 0.1)
        change = (items @ step).reshape(distances.shape)
        length = 1.0
        while length > 1e-10:
            moved = weights + length * step
            if moved @ moved / 2 + C * _pair_loss(scores + length * change, distances)[0] <= value + 1e-4 * length * (
                gradient @ step
            ):
                break
            length /= 2
        weights, scores = weights + length * step, scores + length * change
    return weights


def _conjugate_gradients(product: Callable[[np.ndarray], np.ndarray], right: np.ndarray, share: float) -> np.ndarray:
    """x with `product`(x) = right, until the residual is this share of `right`."""
    x, residual, direction = np.zeros_like(right), right, right
    squared = residual @ residual
    goal = share**2 * squared
    for _ in range(len(right)):
        image = product(direction)
        length = squared / (direction @ image)
        x, residual = x + length * direction, residual - length * image
        previous, squared = squared, residual @ residual
        if squared <= goal:
            break
        direction = residual + squared / previous * direction
    return x


@numba.njit(cache=True)
def _pair_loss(scores, distances):
    """The squared hinge loss over all pairs, and its slope in the score of each item."""
    n, k = scores.shape
    loss = 0.0
    slopes = np.zeros((n, k))
    for i in range(n):
        for a in range(k):
            for b in range(k):
                missing = 1.0 - scores[i, a] + scores[i, b]
                if distances[i, a] < distances[i, b] and missing > 0.0:
                    loss += missing * missing
                    slopes[i, a] -= 2.0 * missing
                    slopes[i, b] += 2.0 * missing
    return loss, slopes


@numba.njit(cache=True)
def _pair_curvature(scores, distances, along):
    """How fast these slopes change when the scores move by `along`."""
    n, k = scores.shape
    change = np.zeros((n, k))
    for i in range(n):
        for a in range(k):
            for b in range(k):
                if distances[i, a] < distances[i, b] and scores[i, a] - scores[i, b] < 1.0:
                    bend = 2.0 * (along[i, a] - along[i, b])
                    change[i, a] += bend
                    change[i, b] -= bend
    return change


def passive_aggressive(
    items: Rows, distances: np.ndarray, C: float, steps: int, rng: np.random.Generator
) -> np.ndarray:
    """Crammer et al. (2006), without a bound on the step, on random pairs: each leaves with a margin of at least 1."""
    return _online(items, distances, steps, rng, passive=True)


def margin_perceptron(items: Rows, distances: np.ndarray, C: float, steps: int, rng: np.random.Generator) -> np.ndarray:
    """Perceptron with margin 1 and falling steps on random pairs, as sofia-ml (Sculley 2009) has it.

    A pair comes in random order, and whether its margin is too small is decided rightly; but then the first item is
    taken to be the better one.
    """
    return _online(items, distances, steps, rng, any_order=True)


def corrected_perceptron(
    items: Rows, distances: np.ndarray, C: float, steps: int, rng: np.random.Generator
) -> np.ndarray:
    """The same, where the better item is taken to be the better one."""
    return _online(items, distances, steps, rng)


def _online(
    items: Rows,
    distances: np.ndarray,
    steps: int,
    rng: np.random.Generator,
    passive: bool = False,
    any_order: bool = False,
) -> np.ndarray:
    better, worse = ordered_pairs(distances)
    if not len(better):
        return np.zeros(items.shape[1])
    drawn = rng.integers(len(better), size=steps)
    signs = rng.choice([-1.0, 1.0], size=steps) if any_order else np.ones(steps)
    better, worse = better[drawn], worse[drawn]
    if not sparse.issparse(items):
        return _run_online_dense(items, better, worse, signs, passive)
    rows = sparse.csr_matrix(items)
    rows.sort_indices()
    return _run_online(rows.data, rows.indices, rows.indptr, rows.shape[1], better, worse, signs, passive)


def ordered_pairs(distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of the items of all pairs with distance a < distance b in one query: all a, and all b."""
    query, a, b = np.nonzero(distances[:, :, None] < distances[:, None, :])
    return query * distances.shape[1] + a, query * distances.shape[1] + b


# λ of the perceptron's step size 1/(λ t).
PERCEPTRON_LAMBDA = 0.1


@numba.njit(cache=True)
def _run_online(data, indices, indptr, d, better, worse, signs, passive):
    weights = np.zeros(d)
    for t in range(len(better)):
        a, a_end = indptr[better[t]], indptr[better[t] + 1]
        b, b_end = indptr[worse[t]], indptr[worse[t] + 1]
        margin, squared = _pair_products(data, indices, a, a_end, b, b_end, weights)
        if margin >= 1.0:
            continue
        step = _step(margin, squared, t, signs[t], passive)
        for position in range(a, a_end):
            weights[indices[position]] += step * data[position]
        for position in range(b, b_end):
            weights[indices[position]] -= step * data[position]
    return weights


@numba.njit(cache=True)
def _run_online_dense(items, better, worse, signs, passive):
    """The same for dense items, where walking along two lists of columns would take several times as long."""
    weights = np.zeros(items.shape[1])
    for t in range(len(better)):
        a, b = items[better[t]], items[worse[t]]
        margin, squared = 0.0, 0.0
        for column in range(len(weights)):
            value = a[column] - b[column]
            margin += weights[column] * value
            squared += value * value
        if margin >= 1.0:
            continue
        step = _step(margin, squared, t, signs[t], passive)
        for column in range(len(weights)):  # one item after the other, to round as sparse rows do
            weights[column] = (weights[column] + step * a[column]) - step * b[column]
    return weights


@numba.njit(cache=True)
def _step(margin, squared, t, sign, passive):
    if passive:  # as far as the margin needs; two equal items cannot be told apart
        return (1.0 - margin) / squared if squared > 0.0 else 0.0
    return sign / (PERCEPTRON_LAMBDA * (t + 1))


@numba.njit(cache=True)
def _pair_products(data, indices, a, a_end, b, b_end, weights):
    """w·x and x·x of the difference x of two sparse rows, whose entries are in the order of their columns."""
    margin, squared = 0.0, 0.0
    while a < a_end or b < b_end:
        value = 0.0
        column = min(indices[a] if a < a_end else len(weights), indices[b] if b < b_end else len(weights))
        if a < a_end and indices[a] == column:
            value += data[a]
            a += 1
        if b < b_end and indices[b] == column:
            value -= data[b]
            b += 1
        margin += weights[column] * value
        squared += value * value
    return margin, squared


# (items, distances, C, steps, rng) -> the weights of the items' features.
RANKERS: Mapping[str, Callable[..., Any]] = {
    "svm": ranking_svm,
    "pa": passive_aggressive,
    "pm": margin_perceptron,
    "pm-corrected": corrected_perceptron,
}
