"""A measure is one declaration beside its function, and appears everywhere by it."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

import labelknn.metrics
from labelknn.errors import ConfigError
from labelknn.metrics import METRICS, compare_sets, evaluate, metric

from ..conftest import ROOT

NEW = '''

@metric(needs="sets", better="higher", low=0, high=1, label="Hits", source="an example")
def hits(truth: Matrix, predicted: Matrix | SetCounts) -> float:
    """Share of instances with a true label among the predicted ones."""
    return float((compare_sets(truth, predicted).row_shared > 0).mean())
'''

USE = """
from labelknn.metrics import METRICS, evaluate, hits, scorer

class Always:
    def predict(self, X):
        return [[1, 1], [1, 0]]

Y = [[1, 0], [0, 1]]
assert list(METRICS)[-4:] == ["hits", "kendall_tau", "spearman", "bipartition_hamming_loss"]
assert evaluate("multilabel", Y, {"sets": [[1, 1], [1, 0]]})["hits"] == hits(Y, [[1, 1], [1, 0]]) == 0.5
assert scorer("hits")(Always(), None, Y) == 0.5
"""

DECLARATION = {"better": "lower", "low": 0, "high": 1, "label": "Misses", "source": "a test"}


@pytest.fixture
def registry():
    """METRICS, as it was before when the test is over."""
    before = dict(METRICS)
    yield METRICS
    METRICS.clear()
    METRICS.update(before)


def test_the_order_is_that_of_the_score_tables():
    assert list(METRICS) == [
        *("hamming_loss", "subset_accuracy", "example_accuracy", "example_f1", "micro_f1", "macro_f1", "macro_f1_zero"),
        *("one_error", "coverage", "ranking_loss", "average_precision"),
        *("strict_one_error", "strict_average_precision", "rmse"),
        *("kendall_tau", "spearman", "bipartition_hamming_loss"),
    ]


def test_a_new_function_in_its_module_is_all_that_a_new_metric_needs(tmp_path):
    shutil.copytree(ROOT / "src/labelknn", tmp_path / "labelknn", ignore=shutil.ignore_patterns("__pycache__"))
    with open(tmp_path / "labelknn/metrics/_multilabel.py", "a") as module:
        module.write(NEW)
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    subprocess.run([sys.executable, "-c", USE], env=environment, cwd=tmp_path, check=True)


def test_every_metric_is_a_public_function():
    for name, declared in METRICS.items():
        assert getattr(labelknn.metrics, name) is declared.function
        assert name in labelknn.metrics.__all__
        assert name in dir(labelknn.metrics)


def test_docstrings_say_what_a_metric_takes_and_where_it_comes_from():
    for declared in METRICS.values():
        text = declared.function.__doc__
        assert text.index("Parameters\n") < text.index("truth : (n, q)") < text.index(f"\n{declared.source}.")
        assert text.index("References\n") < text.index("Examples\n") < text.index(f"{declared.name}(")


def test_a_metric_of_ones_own(registry):
    @metric(needs="sets", **DECLARATION)
    def misses(truth, predicted):
        return float((compare_sets(truth, predicted).row_shared == 0).mean())

    found = evaluate("multilabel", np.eye(2), {"sets": np.ones((2, 2))})
    assert list(found)[-1] == "misses"
    assert found["misses"] == misses(np.eye(2), np.ones((2, 2))) == 0
    declared = registry["misses"]
    assert (declared.task, declared.lower_is_better, declared.label) == ("multilabel", True, "Misses")


def test_a_name_is_declared_in_one_module(registry):
    def hamming_loss(truth, predicted):
        return 0.0

    with pytest.raises(ConfigError, match=r"'hamming_loss' is declared in labelknn\.metrics\._multilabel already"):
        metric(needs="sets", **DECLARATION)(hamming_loss)
    assert registry["hamming_loss"].function is labelknn.metrics.hamming_loss


def test_a_cell_of_a_notebook_may_run_twice(registry):
    def misses(truth, predicted):
        return 0.0

    for _ in range(2):
        metric(needs="sets", **DECLARATION)(misses)
    assert list(registry).count("misses") == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"needs": "set"}, r"unknown kind of prediction 'set'\. Did you mean 'sets'"),
        ({"needs": "sets", "better": "smaller"}, r"unknown direction 'smaller'.*Known: higher, lower"),
    ],
)
def test_a_misspelt_declaration_is_refused(changed, message):
    with pytest.raises(ConfigError, match=message):
        metric(**(DECLARATION | changed))
