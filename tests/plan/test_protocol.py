"""Splits: every row where it belongs, drawn from the seed and the data set alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.datasets._container import Dataset
from labelknn.errors import ConfigError, DataError
from labelknn_papers.plan.protocol import Protocol, load_splits, make_splits, save_splits, seed_for


def rows(n, name="toy", part=None):
    return Dataset(name, "classification", np.zeros((n, 1)), np.zeros(n, int), ("x",), ("c",), part=part)


@given(st.integers(10, 60), st.integers(2, 10), st.integers(1, 3), st.integers(0, 2**31))
@settings(max_examples=50, deadline=None)
def test_cross_validation_tests_every_row_once_per_repeat(n, folds, repeats, seed):
    splits = make_splits(Protocol("cross-validation", repeats, folds), rows(n), seed)
    assert [(split.repeat, split.fold) for split in splits] == [(r, f) for r in range(repeats) for f in range(folds)]
    for repeat in range(repeats):
        tested = np.concatenate([split.test for split in splits if split.repeat == repeat])
        np.testing.assert_array_equal(np.sort(tested), np.arange(n))
    for split in splits:
        np.testing.assert_array_equal(np.sort(np.concatenate([split.train, split.test])), np.arange(n))
        assert n // folds <= len(split.test) <= -(-n // folds)


def test_hold_out_has_the_papers_sizes():
    """brinker2007, Table 1: 70 % of 2465 genes are 1725, leaving 740."""
    splits = make_splits(Protocol("hold-out", 10, train=0.7), rows(2465), 1)
    assert len(splits) == 10
    for split in splits:
        assert (len(split.train), len(split.test)) == (1725, 740)
    assert not np.array_equal(splits[0].train, splits[1].train)


def test_public_split_is_the_files_own():
    part = np.array([0, 1, 0, 1, 1], np.int8)
    (split,) = make_splits(Protocol("public-split"), rows(5, part=part), 1)
    np.testing.assert_array_equal(split.train, [0, 2])
    np.testing.assert_array_equal(split.test, [1, 3, 4])


def test_draws_depend_on_seed_name_and_repeat_only():
    two, five = (make_splits(Protocol("cross-validation", repeats, 10), rows(50), 7) for repeats in (2, 5))
    for left, right in zip(two, five, strict=False):  # more repeats leave the first ones as they are
        np.testing.assert_array_equal(left.test, right.test)
    for other in (
        make_splits(Protocol("cross-validation", 2, 10), rows(50, name), seed)
        for name, seed in (("other", 7), ("toy", 8))
    ):
        assert any(not np.array_equal(left.test, right.test) for left, right in zip(two, other, strict=True))


def test_the_first_splits_are_those_of_the_whole():
    whole, part = (make_splits(Protocol("cross-validation", 2, 5, first=first), rows(23), 7) for first in (None, 7))
    assert [(split.repeat, split.fold) for split in part] == [(split.repeat, split.fold) for split in whole[:7]]
    for left, right in zip(whole[:7], part, strict=True):
        np.testing.assert_array_equal(left.train, right.train)
        np.testing.assert_array_equal(left.test, right.test)
    assert len(make_splits(Protocol("hold-out", 4, train=0.5, first=3), rows(20), 1)) == 3


def test_seeds_keep_their_values():
    """A changed hash would silently change every result. printf 2012/yeast/0 | sha256sum gives this one."""
    assert seed_for(2012, "yeast", 0) == 0x393AEBAF58DA2562
    assert seed_for(1, "a", 2) != seed_for(1, "a", 3)


def test_round_trip(tmp_path):
    splits = make_splits(Protocol("hold-out", 12, train=0.5), rows(20), 3)
    save_splits(tmp_path / "splits.npz", splits)
    loaded = load_splits(tmp_path / "splits.npz")
    assert [(split.repeat, split.fold) for split in loaded] == [(split.repeat, split.fold) for split in splits]
    for left, right in zip(splits, loaded, strict=True):
        for name in ("train", "test"):
            np.testing.assert_array_equal(getattr(left, name), getattr(right, name))


@pytest.mark.parametrize(
    ("protocol", "name"),
    [
        (Protocol("public-split"), "public-split"),
        (Protocol("cross-validation", 5, 10), "cv-5x10"),
        (Protocol("hold-out", 10, train=0.7), "hold-out-10x70"),
        (Protocol("cross-validation", 5, 10, missing=(0.0, 0.3), first=7), "cv-5x10-first-7-missing-0-30"),
    ],
)
def test_equal_protocols_share_a_name(protocol, name):
    assert protocol.id == name


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ({"kind": "bootstrap"}, "unknown protocol 'bootstrap'.*Known: cross-validation, hold-out, public-split"),
        ({"kind": "cross-validation"}, "`folds`"),
        ({"kind": "cross-validation", "folds": 1}, "at least 2"),
        ({"kind": "hold-out", "train": 1.5}, "no share"),
        ({"kind": "hold-out"}, "`train`"),
        ({"kind": "public-split", "repeats": 2}, "one public split"),
        ({"kind": "public-split", "folds": 2}, "`folds`"),
        ({"kind": "hold-out", "train": 0.7, "repeats": 0}, "at least 1"),
        ({"kind": "public-split", "missing": (0.3, 0.25)}, "0.25 is no multiple of 0.1"),
        ({"kind": "public-split", "missing": (1.2,)}, "1.2 is no share"),
        ({"kind": "cross-validation", "folds": 5, "first": 5}, "first = 5 is no part of its 5 splits"),
        ({"kind": "public-split", "first": 1}, "first = 1 is no part of its 1 splits"),
    ],
)
def test_bad_protocols(definition, message):
    with pytest.raises(ConfigError, match=message):
        Protocol(**definition)


def test_data_that_do_not_fit_the_protocol():
    with pytest.raises(ConfigError, match="toy has no public split"):
        make_splits(Protocol("public-split"), rows(5), 1)
    with pytest.raises(DataError, match="toy: 3 rows are too few for the protocol cv-1x10"):
        make_splits(Protocol("cross-validation", 1, 10), rows(3), 1)
