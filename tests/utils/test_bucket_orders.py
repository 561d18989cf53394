"""Rankings with a split point, as methods are given them."""

import numpy as np
import pandas as pd
import pytest

from labelknn.errors import DataError
from labelknn.ranking import CRPC
from labelknn.utils._validation import check_bucket_orders


def test_the_labels_are_counted_and_their_names_kept():
    model = CRPC()
    orders = check_bucket_orders(model, pd.DataFrame([[1, 3, 2], [1, 1, 1]], columns=["a", "b", "|"]), 2)
    np.testing.assert_array_equal(orders, [[1.0, 3.0, 2.0], [1.0, 1.0, 1.0]])
    assert orders.dtype == float
    assert model.n_labels_ == 3
    assert model.label_names_.tolist() == ["a", "b", "|"]
    check_bucket_orders(model, orders, 2)
    assert not hasattr(model, "label_names_")


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([[1, 2, 0], [1, 2, 3]], "row 0 has no split point: its last rank is 0"),
        ([[1, 2, 3], [1, 2, np.nan]], "row 1 has no split point: its last rank is nan"),
        ([[1, 2, 3], [0, 2, 1]], "rank 0 of label 0 in row 1; expected complete rankings"),
        ([[1, 2, 3], [np.inf, 2, 1]], "rank inf of label 0 in row 1"),
        ([[1], [1]], "the split point's in the last column"),
        ([1, 2], "rows of ranks"),
        ([[1, 2]], "2 rows of features but 1 rankings"),
        ([["a", "b"]] * 2, "ranks are numbers"),
        ([[0, 1, 2], [1, 0, 1]], "ranks start at 1, the best, so add 1"),
        (None, "the target y is None"),
    ],
)
def test_rankings_without_a_split_point_are_refused(Y, message):
    with pytest.raises(DataError, match=message):
        check_bucket_orders(CRPC(), Y if Y is None else np.array(Y), 2)
