"""Mulan's threshold and Weka's neighbours by small examples worked by hand; then the printed rows that they explain."""

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from labelknn import MLkNN
from labelknn.datasets._container import TEST, TRAIN
from labelknn.datasets._mulan import read_mulan
from labelknn.errors import DataError
from labelknn.metrics import evaluate
from labelknn.neighbors._euclidean import k_nearest
from labelknn_papers.run.mulan_one_threshold import MulanOneThreshold, faulty_threshold, steps_between, weka_neighbors


def rows_at(distances):
    """Rows that differ from an empty one in so many features."""
    return sparse.csr_matrix(np.arange(max(distances))[None] < np.array(distances)[:, None], dtype=float)


def listed(distances, k):
    X = rows_at(distances)
    found = weka_neighbors(X, k, sparse.csr_matrix((1, X.shape[1])))
    np.testing.assert_allclose(found.distances[0] ** 2, np.array(distances)[found.indices[0]])
    return found.indices[0].tolist()


class TestThreshold:
    @pytest.mark.parametrize(("best", "reached"), [(0, 10), (1, 11), (2, 10), (3, 10), (4, 10), (5, 11), (9, 11)])
    def test_which_second_stages_fall_short(self, best, reached):
        around = best * 0.1
        assert len(steps_between(around - 0.05, around + 0.05, 0.01)) == reached

    def test_the_first_stage_reaches_all_of_its_own(self):
        assert len(steps_between(0.0, 1.0, 0.1)) == 11

    def test_a_threshold_that_saw_no_rows_wins(self):
        """F1 is largest, 4/5, at .2; around that the second stage has nothing better, and ends above all scores."""
        truth = np.array([True, True, False, False, False, False, True])
        scores = np.array([0.22, 0.21, 0.15, 0.05, 0.05, 0.04, 0.01])
        assert faulty_threshold(truth, scores) == pytest.approx(0.25)

    def test_a_sound_threshold_with_the_same_f1_comes_first(self):
        assert faulty_threshold(np.array([True, False]), np.array([0.22, 0.172])) == pytest.approx(0.18)

    def test_it_wins_over_worse_ones_too(self):
        """F1 is at most 2/3 on these rows, which must not be better than the 1 of nothing."""
        truth = np.array([[True, False, False, True]])
        assert faulty_threshold(truth, np.array([[0.35, 0.35, 0.1, 0.1]])) == pytest.approx(0.05)

    def test_elsewhere_the_second_stage_is_as_it_should_be(self):
        """Around .1 all eleven are reached: at .15 nothing is predicted. .13 is the first above .125."""
        truth, scores = np.array([True, False, False]), np.array([0.14, 0.125, 0.05])
        assert faulty_threshold(truth, scores) == pytest.approx(0.13)


class TestHeap:
    def test_of_three_at_one_distance_the_first_comes_last(self):
        """In the heap 0, 1, 2; the first is taken out, and the last takes its place: 0, 2, 1 from behind."""
        assert listed([1, 1, 1, 1], 3) == [1, 2, 0]

    def test_a_nearer_row_drops_the_root_whatever_its_place_in_the_file(self):
        """k = 2: row 0 is farthest and goes when row 2 comes; row 3 is no nearer than the root. The file has 1, 2."""
        assert listed([2, 1, 1, 1], 2) == [2, 1]

    def test_which_of_equal_rows_stay_is_up_to_the_heap(self):
        """Of rows 0 to 2 at distance 2, row 0 is the root when row 3 comes, so that rows 1 and 2 stay."""
        assert listed([2, 2, 2, 1], 3) == [3, 1, 2]

    def test_equal_children_change_places_on_the_right(self):
        """The root 3 (row 0) goes; row 3 sinks to the right child: heap 2, 1, 3 of rows, taken from the top."""
        assert listed([3, 2, 2, 1, 9], 3) == [3, 1, 2]

    @given(st.lists(st.integers(1, 6), min_size=2, max_size=30), st.integers(1, 8))
    @settings(max_examples=60, deadline=None)
    def test_they_are_nearest_and_come_by_distance(self, distances, k):
        k = min(k, len(distances))
        found = listed(distances, k)
        assert [distances[row] for row in found] == heapq.nsmallest(k, distances)
        assert len(set(found)) == k

    def test_without_equal_distances_they_are_those_of_the_library(self):
        X = rows_at(np.random.default_rng(0).permutation(40) + 1)
        query = sparse.csr_matrix((1, X.shape[1]))
        np.testing.assert_array_equal(weka_neighbors(X, 9, query).indices, k_nearest(X, 9, query).indices)

    def test_a_row_is_a_neighbour_of_itself_only_as_a_query(self):
        X = rows_at([1, 4, 9])
        assert (weka_neighbors(X, 2).indices != np.arange(3)[:, None]).all()
        np.testing.assert_array_equal(weka_neighbors(X, 1, X).indices, [[0], [1], [2]])

    def test_other_features_are_refused(self):
        with pytest.raises(DataError, match="0 and 1 only"):
            weka_neighbors(sparse.csr_matrix([[1.0], [2.0]]), 1)


def test_the_threshold_sees_training_rows_among_their_own_neighbours():
    """Two labels alternate, so that a row's nearest other has the other one: ML-kNN turns votes around, but scores of
    rows that vote for themselves are turned around wrongly."""
    X = rows_at([1, 2, 11, 12, 21, 22])
    Y = np.tile(np.eye(2, dtype=int), (3, 1))
    model = MulanOneThreshold(MLkNN(k=1)).fit(X, Y)
    alone = model.estimator_._output(X, neighbors=weka_neighbors(X, 1))["scores"]
    np.testing.assert_array_equal(alone.argmax(axis=1), Y.argmax(axis=1))
    assert (model._output(X)["scores"].argmax(axis=1) != Y.argmax(axis=1)).all()
    assert model.threshold_ == faulty_threshold(Y, model._output(X)["scores"])


# feremans2017, table II: accuracy, F1, Hamming loss, micro F1, macro F1 of ML-kNN.
PRINTED = {"Corel5k": (0.147, 0.237, 0.022, 0.245, 0.326), "delicious": (0.193, 0.302, 0.021, 0.322, 0.088)}
MEASURES = ("example_accuracy", "example_f1", "hamming_loss", "micro_f1", "macro_f1")


@pytest.mark.mirror
@pytest.mark.long
@pytest.mark.parametrize("name", PRINTED)
def test_the_printed_rows(mirror, name):
    sparse_name = "-sparse" if name == "Corel5k" else ""
    files = {part: f"{name}-{part}{sparse_name}.arff" for part in ("train", "test")}
    data = read_mulan(name, mirror / "multilabel" / name.lower(), files=files, xml=f"{name}.xml")
    train, test = data.part == TRAIN, data.part == TEST
    model = MulanOneThreshold(MLkNN(k=29)).fit(data.X[train], data.Y[train])
    found = evaluate("multilabel", data.Y[test], model._output(data.X[test]))
    for metric, printed in zip(MEASURES, PRINTED[name], strict=True):
        assert found[metric] == pytest.approx(printed, abs=0.001), metric
