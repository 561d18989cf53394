"""Scores of labels from any estimator for label sets: one of this library, of scikit-learn, or of a user's own."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from labelknn.errors import DataError

# Labels that a message names.
SHOWN = 10

# The methods that give scores, the first one preferred, and the score that a label must exceed to be predicted by it.
BORDERS = {"predict_proba": 0.5, "decision_function": 0.0}


def scoring_method(estimator: Any) -> str | None:
    """Which of `predict_proba` and `decision_function` an estimator has."""
    return next((method for method in BORDERS if callable(getattr(estimator, method, None))), None)


def label_scores(estimator: Any, X: Any, method: str) -> np.ndarray | sparse.csr_matrix:
    """(n, q) from what `method` gives: that, or scikit-learn's list of an array for each label, a column a class."""
    found = getattr(estimator, method)(X)
    if not (isinstance(found, list) and all(np.ndim(of_label) == 2 for of_label in found)):
        return found if sparse.issparse(found) else np.asarray(found)
    columns = zip(found, estimator.classes_, strict=True)
    return np.column_stack([_of_class_1(label, *column) for label, column in enumerate(columns)])


def _of_class_1(label: int, scores: np.ndarray, classes: Any) -> np.ndarray:
    """A label that all training rows have, or none, has one class only."""
    known = np.asarray(classes).tolist()
    if not set(known) <= {0, 1}:
        raise DataError(f"label {label} has the classes {known}, expected 0 and 1")
    return scores[:, known.index(1)] if 1 in known else np.zeros(len(scores))


def check_label_names(estimator: Any, Y: Any) -> None:
    """Refuse true labels whose columns have other names, or another order, than those that `fit` has seen."""
    names = getattr(getattr(estimator, "_final_estimator", estimator), "label_names_", None)
    if names is None or not hasattr(Y, "columns") or list(Y.columns) == list(names):
        return
    raise DataError(
        f"the labels should be those that `fit` has seen, in the same order: {', '.join(map(str, names[:SHOWN]))}"
        f"{', ...' if len(names) > SHOWN else ''}; found {', '.join(map(str, Y.columns[:SHOWN]))}"
    )
