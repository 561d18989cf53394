"""The measures of rankings, against their definitions read pair by pair, and against scipy where there are no ties."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from labelknn.errors import DataError
from labelknn.metrics import METRICS, above_split, evaluate, kendall_tau, spearman


def slow_kendall(truth, predicted):
    taus = []
    for true, guess in zip(truth, predicted, strict=True):
        pairs = list(itertools.combinations(np.flatnonzero(true), 2))
        concordant = sum((true[a] - true[b]) * (guess[a] - guess[b]) > 0 for a, b in pairs)
        discordant = sum((true[a] - true[b]) * (guess[a] - guess[b]) < 0 for a, b in pairs)
        if pairs:
            taus.append((concordant - discordant) / len(pairs))
    return np.mean(taus) if taus else math.nan


def generalised_ranks(ranks):
    """brinker2007, section 4: the labels in earlier buckets, and the middle of the own bucket."""
    buckets = [[label for label, rank in enumerate(ranks) if rank == value] for value in sorted(set(ranks))]
    sigma, before = np.empty(len(ranks)), 0
    for bucket in buckets:
        sigma[bucket] = before + (len(bucket) + 1) / 2
        before += len(bucket)
    return sigma


def slow_spearman(truth, predicted):
    values = []
    for true, guess in zip(truth, predicted, strict=True):
        seen = np.flatnonzero(true)
        m = len(seen)
        if m > 1:
            l2 = sum((generalised_ranks(true[seen]) - generalised_ranks(guess[seen])) ** 2)
            values.append(1 - 6 * l2 / (m * (m * m - 1)))
    return np.mean(values) if values else math.nan


@st.composite
def rank_pairs(draw):
    """True ranks with ties and missing labels, and complete predicted ones with ties."""
    n, q = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    truth = draw(hnp.arrays(int, (n, q), elements=st.integers(0, q)))
    return truth, draw(hnp.arrays(int, (n, q), elements=st.integers(1, q)))


def permutations(n, q, seed=0):
    return np.random.default_rng(seed).permuted(np.tile(np.arange(1, q + 1), (n, 1)), axis=1)


@settings(max_examples=100, deadline=None)
@given(rank_pairs())
def test_both_measures_are_their_definitions(pair):
    expected = {"kendall_tau": slow_kendall(*pair), "spearman": slow_spearman(*pair)}
    assert evaluate("ranking", pair[0], {"ranks": pair[1]}) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@settings(max_examples=50, deadline=None)
@given(rank_pairs(), st.randoms(use_true_random=False))
def test_renaming_the_labels_does_not_matter(pair, random):
    """The right invariance of cheng2009, section 2."""
    truth, predicted = pair
    columns = random.sample(range(truth.shape[1]), truth.shape[1])
    one = evaluate("ranking", truth, {"ranks": predicted})
    other = evaluate("ranking", truth[:, columns], {"ranks": predicted[:, columns]})
    assert other == pytest.approx(one, abs=1e-12, nan_ok=True)


@settings(max_examples=50, deadline=None)
@given(rank_pairs())
def test_values_stay_in_the_declared_range(pair):
    for name, value in evaluate("ranking", pair[0], {"ranks": pair[1]}).items():
        assert math.isnan(value) or METRICS[name].low <= value <= METRICS[name].high, name


def test_scipy_agrees_without_ties():
    truth, predicted = permutations(50, 8), permutations(50, 8, seed=1)
    found = evaluate("ranking", truth, {"ranks": predicted})
    taus = [stats.kendalltau(a, b).statistic for a, b in zip(truth, predicted, strict=True)]
    rhos = [stats.spearmanr(a, b).statistic for a, b in zip(truth, predicted, strict=True)]
    assert found["kendall_tau"] == pytest.approx(np.mean(taus))
    assert found["spearman"] == pytest.approx(np.mean(rhos))


def test_identical_rankings_give_one_and_reversed_ones_minus_one():
    truth = permutations(20, 6)
    assert evaluate("ranking", truth, {"ranks": truth}) == {"kendall_tau": 1, "spearman": 1}
    assert evaluate("ranking", truth, {"ranks": 7 - truth}) == {"kendall_tau": -1, "spearman": -1}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=5).filter(lambda sizes: sum(sizes) > 1))
def test_a_bucket_order_is_one_with_itself_and_its_reversal_falls_short_of_minus_one_by_its_ties(sizes):
    ranks = np.repeat(np.arange(1, len(sizes) + 1), sizes)[None, :]
    m, tied = sum(sizes), sum(t**3 - t for t in sizes)
    assert spearman(ranks, ranks) == 1
    assert spearman(ranks, len(sizes) + 1 - ranks) == pytest.approx(-1 + 2 * tied / (m**3 - m))


def test_dense_competition_and_mean_ranks_are_the_same_bucket_order():
    predicted = np.array([[2, 1, 3, 4]])
    buckets = {"dense": [1, 1, 2, 3], "competition": [1, 1, 3, 4], "mean": [1.5, 1.5, 3, 4]}
    values = {name: spearman(np.array([ranks]), predicted) for name, ranks in buckets.items()}
    # Generalised ranks 1.5 1.5 3 4 against 2 1 3 4: l2 = 1/2, and 1 - 6 (1/2) / (4 · 15) = .95.
    assert values == pytest.approx(dict.fromkeys(buckets, 0.95))


def test_a_worked_example_with_a_missing_label():
    """True order b > a > d, c unknown; predicted c > a > b > d: (a, b) is the one discordant pair of three."""
    truth, predicted = np.array([[2, 1, 0, 3]]), np.array([[2, 3, 1, 4]])
    assert kendall_tau(truth, predicted) == pytest.approx(1 / 3)
    # Among a, b, d the predicted ranks are 1 2 3 against 2 1 3: l2 = 2, and 1 - 6 · 2 / (3 · 8) = .5.
    assert spearman(truth, predicted) == pytest.approx(0.5)


def test_ties_count_neither_for_nor_against_kendalls_tau():
    assert kendall_tau(np.array([[1, 1, 2]]), np.array([[1, 2, 3]])) == pytest.approx(2 / 3)
    assert kendall_tau(np.array([[1, 2, 3]]), np.array([[1, 1, 1]])) == 0


def test_instances_with_fewer_than_two_ranked_labels_are_left_out():
    truth = np.array([[1, 2, 3], [0, 1, 0], [0, 0, 0]])
    predicted = np.array([[1, 2, 3], [3, 2, 1], [3, 2, 1]])
    assert evaluate("ranking", truth, {"ranks": predicted}) == {"kendall_tau": 1, "spearman": 1}
    nothing_left = evaluate("ranking", truth[1:], {"ranks": predicted[1:]})
    assert all(math.isnan(value) for value in nothing_left.values())


def test_the_virtual_label_is_one_more_column():
    """Labels a, b, c around the split point |, the last column: a > | > c > b, read from a prediction a > c > | > b."""
    truth, predicted = np.array([[1, 4, 3, 2]]), np.array([[1, 4, 2, 3]])
    split = above_split(predicted)
    assert split.tolist() == [[True, False, True]]
    found = evaluate("ranking", truth, {"ranks": predicted, "split": split})
    assert found["spearman"] == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert found["bipartition_hamming_loss"] == pytest.approx(1 / 3)


def test_a_label_that_ties_with_the_split_point_is_not_relevant():
    assert above_split(np.array([[1, 2, 3, 2]])).tolist() == [[True, False, False]]


@pytest.mark.parametrize(
    ("predicted", "message"),
    [
        (np.ones((1, 3)), r"predicted ranks: found shape \(1, 3\), expected that of the truth, \(2, 3\)"),
        (
            np.array([[1, 2, 3], [1, 0, 2]]),
            "predicted ranks: label 1 is missing from row 1, expected complete rankings",
        ),
        (np.array([[1, 2, 3], [1, -1, 2]]), "predicted ranks: found -1 in row 1, expected 0 .* from 1 to 3"),
        (np.array([[1, 2, 4], [1, 2, 3]]), "predicted ranks: found 4 in row 0"),
        (np.array([[0.2, 0.7, 0.1], [1, 2, 3]]), "predicted ranks: found 0.2 in row 0"),
        (np.array([[1, np.nan, 2], [1, 2, 3]]), "predicted ranks: label 1 is missing from row 0"),
        (np.array([1, 2, 3]), r"predicted ranks: found shape \(3,\)"),
        (np.ones((2, 3), bool), "predicted ranks: found entries of type bool"),
    ],
)
def test_what_is_no_ranking_is_refused(predicted, message):
    with pytest.raises(DataError, match=message):
        evaluate("ranking", np.array([[1, 2, 3], [3, 1, 2]]), {"ranks": predicted})


def test_a_split_that_does_not_fit_the_truth_is_refused():
    truth = np.array([[1, 2, 3, 4]])
    with pytest.raises(DataError, match=r"predicted sets: found shape \(1, 4\), expected that of the truth, \(1, 3\)"):
        evaluate("ranking", truth, {"split": np.ones((1, 4), bool)})
    with pytest.raises(DataError, match="label 0 is missing from row 0, so it is on neither side"):
        above_split(np.array([[0, 2, 1]]))
    with pytest.raises(DataError, match="found one column"):
        above_split(np.array([[1]]))


def test_nan_is_a_missing_label_as_well():
    truth, predicted = np.array([[2, 1, 0, 3]]), np.array([[2, 3, 1, 4]])
    nan = np.where(truth == 0, np.nan, truth)
    assert evaluate("ranking", nan, {"ranks": predicted}) == evaluate("ranking", truth, {"ranks": predicted})
    assert np.isnan(nan[0, 2]), "the caller's ranks are as they were"


def test_ranks_that_count_from_0_are_refused():
    ranks = permutations(5, 4)
    with pytest.raises(DataError, match=r"predicted ranks: every row counts from 0, .* add 1"):
        kendall_tau(ranks, ranks - 1)


def test_data_frames_of_ranks_say_which_labels_they_mean():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(permutations(5, 3), columns=list("abc"))
    assert kendall_tau(frame, frame) == spearman(frame, frame.to_numpy()) == 1
    with pytest.raises(DataError, match=r"predicted ranks: found the columns \['c', 'b', 'a'\], expected those of the"):
        kendall_tau(frame, frame[["c", "b", "a"]])
