"""Scores of labels from any estimator for label sets: one of this library, of scikit-learn, or of a user's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

# The methods that give scores, the first one preferred, and the score that a label must exceed to be predicted by it.
BORDERS = {"predict_proba": 0.5, "decision_function": 0.0}


def scoring_method(estimator: Any) -> str | None:
    """Which of `predict_proba` and `decision_function` an estimator has."""
    return next((method for method in BORDERS if callable(getattr(estimator, method, None))), None)


def label_scores(estimator: Any, X: Any, method: str) -> np.ndarray | sparse.csr_matrix:
    """(n, q) from what `method` gives: that, or scikit-learn's list of an array for each label, a column a class."""
    found = getattr(estimator, method)(X)
    classes = getattr(estimator, "classes_", ())
    if isinstance(found, list) and len(found) == len(classes):
        return np.column_stack([_of_class_1(*pair) for pair in zip(found, classes, strict=True)])
    return found if sparse.issparse(found) else np.asarray(found)


def _of_class_1(columns: np.ndarray, classes: Any) -> np.ndarray:
    """A label that all training rows had, or none, has one class only."""
    known = list(classes)
    return columns[:, known.index(1)] if 1 in known else np.zeros(len(columns))
