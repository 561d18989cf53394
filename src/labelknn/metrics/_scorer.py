"""Every measure as scikit-learn's `scoring=`: it asks an estimator for the prediction that the measure needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from labelknn.errors import DataError, unknown
from labelknn.metrics._comparison import above_split
from labelknn.metrics._registry import METRICS, Metric
from labelknn.utils._scores import check_label_names, label_scores, scoring_method


@dataclass(frozen=True, repr=False)
class Scorer:
    """A callable ``(estimator, X, truth) -> float``, larger for better estimators: see `scorer`."""

    metric: Metric

    def __call__(self, estimator: Any, X: Any, truth: Any) -> float:
        check_label_names(estimator, truth)
        value = self.metric.function(truth, _prediction(estimator, X, self.metric))
        return -value if self.metric.lower_is_better else value

    @property
    def __name__(self) -> str:
        """What scikit-learn's displays call it, by the convention for its own losses."""
        return f"neg_{self.metric.name}" if self.metric.lower_is_better else self.metric.name

    def __repr__(self) -> str:
        return f"scorer({self.metric.name!r})"


def scorer(name: str) -> Scorer:
    """A measure as `scoring` of `cross_val_score`, `cross_validate`, `GridSearchCV` and their like.

    It works with every estimator that has the methods, ours or not, also inside a Pipeline. Label sets and scores may
    be sparse, but scikit-learn itself takes sparse targets in `GridSearchCV` only, not in `cross_val_score`.

    ==================  =====================================================================================
    the measure needs   it is computed from
    ==================  =====================================================================================
    sets                `predict`
    scores              `predict_proba`, or `decision_function` of an estimator without
    ranks               `predict`
    split               `predict`, where the last column of ranks is the virtual label, in the truth as well
    ==================  =====================================================================================

    Parameters
    ----------
    name : a name of `scorer_names`. Larger is better in scikit-learn, so the value of a loss is negated: that of
        ``scorer("hamming_loss")`` is at most 0.

    Examples
    --------
    >>> from sklearn.datasets import make_multilabel_classification
    >>> from sklearn.model_selection import cross_val_score
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, Y = make_multilabel_classification(random_state=0)
    >>> cross_val_score(KNeighborsClassifier(), X, Y, scoring=scorer("hamming_loss")).round(2)
    array([-0.3 , -0.35, -0.33, -0.29, -0.34])
    """
    if name not in METRICS:
        raise unknown("metric", name, METRICS, "scorer")
    return Scorer(METRICS[name])


def scorer_names() -> list[str]:
    """The names that `scorer` knows: every measure of `METRICS`, in its order."""
    return list(METRICS)


def _prediction(estimator: Any, X: Any, metric: Metric) -> Any:
    if metric.needs == "scores":
        return _scores(estimator, X)
    predicted = estimator.predict(X)
    return above_split(predicted) if metric.needs == "split" else predicted


def _scores(estimator: Any, X: Any) -> Any:
    method = scoring_method(estimator)
    if method is None:
        raise DataError(
            f"{type(estimator).__name__} has neither predict_proba nor decision_function, and this measure needs scores"
        )
    return label_scores(estimator, X, method)
