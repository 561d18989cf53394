"""Any scikit-learn estimator as a method of the workflow: what it predicts, in the words that `base` has for outputs.

An estimator that was not written for this project has `fit` and `predict`, perhaps `predict_proba` or
`decision_function`, but no `output`. It learns label sets from an indicator matrix and rankings from a matrix of ranks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from labelknn.errors import DataError


def with_output(cls: type) -> type:
    """The class itself if it has `output`, else a subclass of it that has.

    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X = np.array([[0.0], [0.1], [5.0], [5.1]])
    >>> Y = sparse.csr_matrix(np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=bool))
    >>> with_output(KNeighborsClassifier)(n_neighbors=1).fit(X, Y).output(X[1:3])["sets"]
    array([[ True, False],
           [False,  True]])
    """
    if hasattr(cls, "output") or hasattr(cls, "outputs"):
        return cls
    members = {"fit": _fit, "output": _output, "_plain": cls, "__doc__": cls.__doc__, "__module__": cls.__module__}
    # Its parameters are read off __init__, which a subclass without one of its own inherits.
    return type(cls.__name__, (cls,), members)


def _fit(self: Any, X: Any, Y: np.ndarray | sparse.csr_matrix) -> Any:
    """Label sets come as a sparse matrix here; most estimators want indicators of 0 and 1."""
    self.learns_sets_ = isinstance(Y, sparse.spmatrix)
    self._plain.fit(self, X, Y.toarray().astype(int) if isinstance(Y, sparse.spmatrix) else Y)
    return self


def _output(self: Any, X: Any) -> Mapping[str, np.ndarray]:
    predicted = self.predict(X)
    predicted = predicted.toarray() if sparse.issparse(predicted) else np.asarray(predicted)
    if predicted.ndim != 2:
        raise DataError(f"{type(self).__name__}.predict gave {predicted.ndim} dimension(s); expected rows × labels")
    if not self.learns_sets_:
        return {"ranks": as_places(predicted)}
    scores = _scores(self, X, predicted.shape)
    return {"sets": predicted > 0.5} | ({} if scores is None else {"scores": scores})


def as_places(predicted: np.ndarray) -> np.ndarray:
    """Whole places from 1 on for what a regression on ranks predicts; of equal values the first label is ahead.

    >>> as_places(np.array([[1.4, 1.2, 2.9]]))
    array([[2, 1, 3]])
    """
    return np.argsort(np.argsort(predicted, axis=1, kind="stable"), axis=1) + 1


def _scores(self: Any, X: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    """A number for each label, from what the estimator has: probabilities, or distances to a border."""
    if hasattr(self, "predict_proba"):
        given = self.predict_proba(X)
        if isinstance(given, list):  # one array for each label, a column for each class that the label took
            columns = [_of_one(array, classes) for array, classes in zip(given, self.classes_, strict=True)]
            return np.column_stack(columns)
    elif hasattr(self, "decision_function"):
        given = self.decision_function(X)
    else:
        return None
    scores = np.asarray(given, dtype=float)
    return scores if scores.shape == shape else None


def _of_one(probabilities: np.ndarray, classes: np.ndarray) -> np.ndarray:
    """The probability that the label is there; a label that no training row, or every one, has is a single class."""
    found = np.flatnonzero(np.asarray(classes) == 1)
    return probabilities[:, found[0]] if len(found) else np.zeros(len(probabilities))
