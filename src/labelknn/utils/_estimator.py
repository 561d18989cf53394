"""scikit-learn's contract for estimators, without an import of scikit-learn until something of it is needed.

That import takes two seconds, more than most methods take on a small data set, and every cell of the workflow is a
process of its own. scikit-learn asks for methods, not for a base class, and its own checks run on these in the tests.
"""

from __future__ import annotations

import inspect
import warnings
from typing import TYPE_CHECKING, Any, NoReturn, Self

if TYPE_CHECKING:
    from sklearn.utils import Tags


class Estimator:
    """Parameters are the arguments of `__init__`, stored under their own names and checked by `fit`."""

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        return {name: given.default for name, given in inspect.signature(cls).parameters.items()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name; if `deep`, also those of parameters that are estimators, as ``name__inner``."""
        params: dict[str, Any] = {}
        for name in sorted(self._defaults()):
            value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                params |= {f"{name}__{inner}": part for inner, part in value.get_params().items()}
            params[name] = value
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; ``name__inner`` sets those of a parameter that is an estimator."""
        known = self._defaults()
        # An estimator is set before its own parameters are.
        for key, value in sorted(params.items(), key=lambda item: "__" in item[0]):
            name, _, inner = key.partition("__")
            if name not in known:
                raise ValueError(f"Invalid parameter {name!r} for {self}; valid are {sorted(known)}")
            if inner:
                getattr(self, name).set_params(**{inner: value})
            else:
                setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """The parameters that are not the defaults."""
        changed = {name: getattr(self, name) for name, default in self._defaults().items()}
        changed = {name: value for name, value in changed.items() if repr(value) != repr(self._defaults()[name])}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _repr_html_(self) -> str:
        from sklearn.utils import estimator_html_repr

        return estimator_html_repr(self)

    def __sklearn_tags__(self) -> Tags:
        """What scikit-learn is told: targets are matrices. These are no classifiers, which predict one class a row."""
        from sklearn.utils import Tags, TargetTags

        targets = TargetTags(required=True, two_d_labels=True, multi_output=True, single_output=False)
        return Tags(estimator_type=None, target_tags=targets)


def check_is_fitted(estimator: Estimator) -> None:
    """An estimator is fitted if it has attributes that end with an underscore."""
    if not any(name.endswith("_") and not name.startswith("_") for name in vars(estimator)):
        _refuse(estimator)


def _refuse(estimator: Estimator) -> NoReturn:
    from sklearn.exceptions import NotFittedError

    raise NotFittedError(f"This {type(estimator).__name__} is not fitted yet. Call 'fit' before you ask it anything.")


def warn_not_converged(message: str) -> None:
    """scikit-learn's warning, at the line that called `fit`."""
    from sklearn.exceptions import ConvergenceWarning

    warnings.warn(message, ConvergenceWarning, stacklevel=3)
