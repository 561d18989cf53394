"""BoosTexter (Schapire & Singer 2000): real AdaBoost.MH on decision stumps.

A weight for each pair of a training row and a label says how much is still to be learned there. Each round finds the
stump (one feature, one threshold) with the smallest normaliser Z = 2 Σ_j Σ_l √(W+ W−), where W+ and W− are the weights
of rows on side j of the threshold that have label l, and that have not. The stump votes ½ ln((W+ + ε) / (W− + ε)) for
label l on side j, with ε = 1/(mk) for m rows and k labels (their sections 3 and 4; ε against infinite votes). Weights
are then multiplied by exp(−y · vote) and normalised. A label is predicted if the sum of its votes is positive.

The paper is about words that occur or not. On numeric features a stump asks for x ≤ threshold, as their program does.
What this leaves open is settled here: thresholds lie halfway between two neighbouring values; among equally good stumps
the first feature and the smallest threshold win; a sum of votes that is zero predicts nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from labelknn.solvers._boosting import BoostingData, by_sign
from labelknn.utils._base import DecisionMixin, LabelSetMethod
from labelknn.utils._parameters import check_whole
from labelknn.utils._validation import check_dense_features, check_label_sets


class BoosTexter(DecisionMixin, LabelSetMethod):
    """Real AdaBoost.MH on decision stumps.

    Cost: O(n d q) a round, after sorting each feature once; O(n q) a round for predictions.

    Where no feature has two values, a stump has all rows on one side and the votes are the labels' prior log odds.
    A label that no training row has, or that all have, gets votes of one sign only.

    Parameters
    ----------
    rounds : number of stumps; the method has no rule for when to stop.

    Attributes
    ----------
    features_, thresholds_ : (rounds,) the stumps.
    votes_ : (rounds, 2, q) votes for the labels, where x ≤ threshold and where it is not.
    losses_ : (rounds,) mean exponential loss on the training rows after each round; it never rises.
    weights_ : (n, q) the distribution that a further round would learn from.

    References
    ----------
    Schapire & Singer (2000), sections 3 and 4; a baseline in zhang2005, table II.

    >>> import numpy as np
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> Y = np.array([[1, 0], [1, 0], [0, 0], [0, 1]])
    >>> model = BoosTexter(rounds=5).fit(X, Y)
    >>> model.predict(X)
    array([[1, 0],
           [1, 0],
           [0, 0],
           [0, 1]])
    >>> [int(sets.sum()) for sets in model.staged_predict(X)]
    [2, 3, 3, 3, 3]
    """

    _side_by_side = ("rounds", "rounds")

    def __init__(self, rounds: int = 1000) -> None:
        self.rounds = rounds

    def fit(self, X: np.ndarray, Y: np.ndarray | sparse.spmatrix) -> BoosTexter:
        """Learn from the rows of X, (n, d), and their label sets in Y, (n, q) of 0 and 1."""
        check_whole(self, "rounds")
        X = check_dense_features(self, X, fitting=True)
        training = BoostingData.prepare(X, check_label_sets(self, Y, len(X)).toarray())
        q = training.members.shape[1]
        everywhere = np.ones(len(training.X), dtype=bool)
        self.features_ = np.empty(self.rounds, dtype=np.int64)
        self.thresholds_ = np.empty(self.rounds)
        self.votes_ = np.empty((self.rounds, 2, q))
        self.losses_ = np.empty(self.rounds)
        self.weights_ = training.uniform()
        loss = 1.0
        for i in range(self.rounds):
            _, feature, threshold = training.best_condition(self.weights_, everywhere)
            below = training.X[:, feature] <= threshold
            votes = np.stack([training.vote(self.weights_, below), training.vote(self.weights_, ~below)])
            self.weights_, normaliser = training.reweigh(self.weights_, np.where(below[:, None], *votes))
            loss *= normaliser
            self.features_[i], self.thresholds_[i] = feature, threshold
            self.votes_[i], self.losses_[i] = votes, loss
        return self

    def staged_decision_function(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """The sums of votes after each round, (n, q) each."""
        return self._sums(X, range(1, self.rounds + 1))

    def staged_predict(self, X: np.ndarray) -> Iterator[np.ndarray | sparse.csr_matrix]:
        """The predicted label sets after each round, (n, q) of 0 and 1 each."""
        for sums in self.staged_decision_function(X):
            yield self._contained((sums > 0).astype(np.int64))

    def _output(self, X: np.ndarray) -> Mapping[str, np.ndarray]:
        """Label sets and the sums of votes after all rounds."""
        return by_sign(list(self._sums(X, [self.rounds]))[-1])

    def _outputs(self, X: np.ndarray) -> dict[int, Mapping[str, np.ndarray]]:
        """The same after several numbers of rounds."""
        return {rounds: by_sign(sums) for rounds, sums in zip(self._values, self._sums(X, self._values), strict=True)}

    def _sums(self, X: np.ndarray, stages: Sequence[int]) -> Iterator[np.ndarray]:
        """The sums of votes at each of some increasing stages."""
        check_is_fitted(self)
        X = check_dense_features(self, X, fitting=False)
        sums = np.zeros((len(X), self.votes_.shape[2]))
        for done in range(self.rounds):
            below = X[:, self.features_[done]] <= self.thresholds_[done]
            sums += np.where(below[:, None], *self.votes_[done])
            if done + 1 in stages:
                yield sums.copy()
