"""How far an average rank moves with the draw of the splits."""

from itertools import product
from statistics import fmean

import numpy as np
import pytest

from labelknn_papers.judge.rank_errors import rank_errors

from .test_estimates import PROTOCOL, target


def splits_of(**values):
    """The tau of each method on the splits of data set a."""
    return {
        (PROTOCOL.id, "a", method, "missing=0.0", "kendall_tau"): {(0, fold): value for fold, value in enumerate(row)}
        for method, row in values.items()
    }


def errors(**values):
    ranks = {method: target("AVG", method, "average_rank") for method in values}
    targets = [target("a", method, "kendall_tau") for method in values]
    found = rank_errors([*targets, *ranks.values()], splits_of(**values))
    return {method: found[one] for method, one in ranks.items() if one in found}


def test_it_is_that_of_all_draws_of_the_splits():
    """Of three splits there are 27 draws; the standard deviation of their ranks is what random draws come near to."""
    cc, iblr = np.array([0.9, 0.1, 0.5]), np.array([0.6, 0.6, 0.2])
    ranks = []
    for drawn in map(list, product(range(3), repeat=3)):
        difference = fmean(cc[drawn]) - fmean(iblr[drawn])
        ranks.append(1.5 if abs(difference) < 1e-12 else 1.0 if difference > 0 else 2.0)
    found = errors(cc=cc, iblr=iblr)
    assert found["cc"] == pytest.approx(found["iblr"])
    assert found["cc"] == pytest.approx(np.std(ranks), abs=0.02)


def test_methods_that_never_change_places_have_none():
    assert errors(cc=(0.9, 0.8), iblr=(0.5, 0.4), lrt=(0.1, 0.2)) == {"cc": 0.0, "iblr": 0.0, "lrt": 0.0}


def test_a_method_without_values_leaves_nothing_to_rank():
    assert errors(cc=(0.9, 0.8), iblr=()) == {}
