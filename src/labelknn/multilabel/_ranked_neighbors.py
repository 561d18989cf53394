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

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import sparse
from scipy.special import expit

from labelknn.errors import DataError, unknown
from labelknn.neighbors._euclidean import Neighbors, k_nearest
from labelknn.neighbors._shared import restricted, width_for
from labelknn.solvers._pair_rankers import RANKERS
from labelknn.solvers._pattern_search import find_weights
from labelknn.solvers._votes import SLACK, hamming_distances
from labelknn.solvers._weka_logistic import fit_logistic
from labelknn.utils._base import LabelSetMethod, NeighborMethod, ProbabilityMixin
from labelknn.utils._parameters import check_real, check_whole, seed_of
from labelknn.utils._threads import threaded
from labelknn.utils._validation import Rows, check_features, check_label_sets, dense_rows

DIFFERENCES = ("absolute", "signed")
WEIGHTS = ("gps", "linear", "logistic")


class RankedNeighbors(ProbabilityMixin, NeighborMethod, LabelSetMethod):
    """Weighted votes of neighbours that a ranking model has put in order.

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
    weights : how neighbours vote (section 4.4): "gps", weights by pattern search; "linear", k for the first down to 1
        for the last; "logistic", a logistic regression for each label on all neighbours' labels.
    held_out : share of the training rows that the weights are learned on.
    starts : starting points of the pattern search.
    random_state : seed of the held-out rows, the starting points and the order of pairs.
    n_jobs : threads of the neighbour searches; None for all that the process may use.

    Attributes
    ----------
    weights_ : (k,) the weights by pattern search, if these were asked for.
    ranker_ : (d + 2 + q,) the ranking model, None if there is no ranker.
    coefficients_, intercepts_ : the logistic regressions, (k q, q) and (q,), if these were asked for.

    References
    ----------
    chiang2012, Algorithms 1 and 2 and section 3.2.

    >>> import numpy as np
    >>> X = np.arange(40.0)[:, None] % 20
    >>> Y = np.column_stack([X[:, 0] < 10, X[:, 0] >= 10])
    >>> RankedNeighbors(k=3, random_state=0).fit(X, Y).predict(np.array([[2.0], [17.0]]))
    array([[1, 0],
           [0, 1]])
    """

    k: int
    _side_by_side = ("weights", "weights")

    def __init__(
        self,
        k: int = 10,
        ranker: str | None = "svm",
        differences: str = "absolute",
        C: float = 0.1,
        steps: int = 100_000,
        weights: str = "gps",
        held_out: float = 0.2,
        starts: int = 300,
        random_state: int | None = None,
        n_jobs: int | None = None,
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
        self.n_jobs = n_jobs

    @threaded
    def fit(
        self, X: np.ndarray | sparse.csr_matrix, Y: np.ndarray | sparse.spmatrix, neighbors: Neighbors | None = None
    ) -> RankedNeighbors:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1.

        `neighbors` are those of each row among the others. About twice as many as k spare this method a search of its
        own: all that it learns from are among them.
        """
        check_whole(self, "k", "steps", "starts")
        check_real(self, "C")
        if self.ranker is not None and self.ranker not in RANKERS:
            raise unknown("ranker", self.ranker, RANKERS, "RankedNeighbors")
        for kind in self._kinds:
            if kind not in WEIGHTS:
                raise unknown("weights", kind, WEIGHTS, "RankedNeighbors")
        if self.differences not in DIFFERENCES:
            raise unknown("differences", self.differences, DIFFERENCES, "RankedNeighbors")
        if not 0 < self.held_out < 1:
            raise DataError(f"held_out = {self.held_out} is no share between 0 and 1")
        self.rows_ = check_features(self, X, fitting=True)
        self.X_ = dense_rows(self.rows_)
        n = len(self.X_)
        self.Y_ = check_label_sets(self, Y, n)
        wanted = max(self.k, min(width_for(self.k, 1 - self.held_out), n - 1))
        found = neighbors or k_nearest(self.X_, wanted)
        rng = np.random.default_rng(seed_of(self.random_state))
        learned, held = self._divide(n, rng)

        self.ranker_ = None
        if self.ranker is not None:
            near = _among(learned, restricted(self.X_, found, learned, k=self.k))
            pairs = self._pair_features(self.rows_[learned], near)
            distances = hamming_distances(near.indices, self.Y_.toarray(), self.Y_[learned].toarray())
            self.ranker_ = RANKERS[self.ranker](pairs, distances, self.C, self.steps, rng)
        if "gps" in self._kinds:
            near = _among(learned, restricted(self.X_, found, learned, held, k=self.k))
            votes = self._votes(self.rows_[held], near)
            self.weights_ = find_weights(votes, self.Y_[held].toarray(), rng, self.starts)
        if "logistic" in self._kinds:
            votes = self._votes(self.rows_, found.nearest(self.k)).reshape(n, -1).astype(float)
            self.coefficients_, self.intercepts_ = fit_logistic(votes, self.Y_.toarray())
        return self

    @property
    def _kinds(self) -> Sequence[str]:
        return self._values or (self.weights,)

    def _output(
        self, X: np.ndarray | sparse.csr_matrix, neighbors: Neighbors | None = None
    ) -> Mapping[str, np.ndarray]:
        """Label sets, and shares of the votes or probabilities as scores; weights by pattern search as "weights"."""
        return self._outputs(X, neighbors)[self.weights]

    @threaded
    def _outputs(
        self, X: np.ndarray | sparse.csr_matrix, neighbors: Neighbors | None = None
    ) -> dict[str, Mapping[str, np.ndarray]]:
        """The same with each kind of weights."""
        found = self._query_neighbors(X, neighbors)
        votes = self._votes(check_features(self, X, fitting=False), found)
        return {kind: self._vote(kind, votes) for kind in self._kinds}

    def _vote(self, kind: str, votes: np.ndarray) -> Mapping[str, np.ndarray]:
        if kind == "gps":
            return {**_weighted_vote(votes, self.weights_), "weights": self.weights_}
        if kind == "linear":
            return _weighted_vote(votes, np.arange(self.k, 0, -1.0))
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
