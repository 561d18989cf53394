"""The weight that LCIF2 chooses is that of the settings that it uses itself."""

import numpy as np
import pytest

from labelknn.errors import DataError
from labelknn.multilabel import LCIF2
from labelknn_papers.run.cell import _build
from labelknn_papers.run.chosen_weight import ChosenWeight


def test_it_is_the_weight_of_lcif2():
    rng = np.random.default_rng(3)
    X = (rng.random((60, 12)) < 0.3).astype(float)
    X[:, 0] = 1
    Y = (rng.random((60, 4)) < 0.4).astype(int)
    chosen = ChosenWeight(tune="micro_f1", random_state=5).fit(X, Y)
    method = LCIF2(tune="micro_f1", random_state=5).fit(X, Y)
    assert chosen._output(X)["instance_weight"] == method.setting_.weight
    side_by_side = _build("labelknn_papers.run.chosen_weight:ChosenWeight", {"tune": "macro_f1"}, "multilabel")
    side_by_side._values = ("micro_f1", "macro_f1")
    outputs = side_by_side.set_params(random_state=5).fit(X, Y)._outputs(X)
    assert outputs.keys() == {"micro_f1", "macro_f1"}
    assert outputs["micro_f1"]["instance_weight"] == method.setting_.weight


def test_a_weight_that_is_given_is_not_chosen():
    with pytest.raises(DataError, match="tune="):
        ChosenWeight().fit(np.ones((20, 2)), np.ones((20, 2), int))
