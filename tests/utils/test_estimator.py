"""What scikit-learn's own checks (test_scikit_learn.py) do not ask for."""

import subprocess
import sys

import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from labelknn.multilabel._mlknn import MLkNN
from labelknn.utils._estimator import Estimator, check_is_fitted


class Inner(Estimator):
    def __init__(self, a=1, b="x"):
        self.a = a
        self.b = b


class Outer(Estimator):
    def __init__(self, part=None, c=0.5):
        self.part = part
        self.c = c


def test_parameters_of_parts_have_two_underscores():
    outer = Outer(Inner(a=2))
    assert outer.get_params(deep=False) == {"part": outer.part, "c": 0.5}
    assert outer.get_params() == {"part": outer.part, "part__a": 2, "part__b": "x", "c": 0.5}
    outer.set_params(part__a=3, part=Inner(b="y"), c=1)
    assert (outer.part.a, outer.part.b, outer.c) == (3, "y", 1)
    copy = clone(outer)
    assert copy.part is not outer.part
    assert copy.part.a == 3


def test_an_unknown_parameter_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match=r"'d' for Inner\(a=2\).*\['a', 'b'\]"):
        Inner(a=2).set_params(d=1)


def test_only_what_differs_from_the_defaults_is_shown():
    assert repr(Outer(Inner(b="y"))) == "Outer(part=Inner(b='y'))"
    assert "Inner" in Inner()._repr_html_()


def test_fitted_is_what_has_learned_attributes():
    method = Inner()
    method._private_ = 1
    with pytest.raises(NotFittedError, match="Inner is not fitted"):
        check_is_fitted(method)
    method.learned_ = None
    check_is_fitted(method)


def test_a_method_in_a_grid_search():
    rows = [[float(i)] for i in range(12)]
    sets = [[i < 6, i >= 6] for i in range(12)]
    search = GridSearchCV(MLkNN(), {"k": [1, 3]}, scoring=lambda method, X, Y: (method.predict(X) == Y).mean(), cv=3)
    assert search.fit(rows, sets).best_params_ == {"k": 1}


def test_methods_do_not_import_scikit_learn():
    """It would more than double the start of every cell."""
    code = "import sys, labelknn_papers.run.cell, labelknn.multilabel._mlknn; sys.exit('sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
