"""Digests of cells, and which cells are drawn to be verified."""

import hashlib
from math import ceil

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.errors import ConfigError, DataError
from labelknn_papers.run.digests import digest_cell, draw_cells, read_digests, write_digests
from labelknn_papers.run.predictions import save_predictions


def write_cell(folder, ranks=(1, 2), score="0.5"):
    predictions, scores = folder / "predictions/cv/toy/mine.npz", folder / "scores/cv/toy/mine.csv"
    save_predictions(predictions, {(0, 0, ""): {"ranks": np.array([ranks])}})
    scores.parent.mkdir(parents=True, exist_ok=True)
    scores.write_text(score)
    return predictions, scores


def test_a_digest_names_the_cell_and_what_differs(tmp_path):
    first = digest_cell("cv/toy/mine", *write_cell(tmp_path / "first"))
    assert first.cell == "cv/toy/mine"
    assert first.scores == hashlib.sha256(b"0.5").hexdigest()
    assert first.differing(digest_cell("cv/toy/mine", *write_cell(tmp_path / "same"))) == []
    assert first.differing(digest_cell("cv/toy/mine", *write_cell(tmp_path / "other", ranks=(2, 1)))) == ["predictions"]
    assert first.differing(digest_cell("cv/toy/mine", *write_cell(tmp_path / "score", score="0.6"))) == ["scores"]


def test_a_digest_does_not_depend_on_how_the_file_was_compressed(tmp_path):
    predictions, scores = write_cell(tmp_path)
    before = digest_cell("cv/toy/mine", predictions, scores)
    with np.load(predictions) as file:
        arrays = {name: file[name] for name in file.files}
    packed = predictions.read_bytes()
    np.savez(predictions, **arrays)
    assert predictions.read_bytes() != packed
    assert digest_cell("cv/toy/mine", predictions, scores) == before


def test_digests_are_sorted_and_read_back(tmp_path):
    digest = digest_cell("cv/toy/mine", *write_cell(tmp_path))
    both = [digest._replace(cell="cv/b/mine"), digest._replace(cell="cv/a/mine")]
    write_digests(tmp_path / "digests.csv", both)
    assert list(read_digests(tmp_path / "digests.csv").values()) == both[::-1]
    with pytest.raises(DataError, match=r"none\.csv does not exist; a complete run writes it"):
        read_digests(tmp_path / "none.csv")


cells = st.sets(st.integers(0, 60).map("cv/{}/mine".format), min_size=1)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.sampled_from("abcde"), cells, min_size=1), st.floats(0.01, 1), st.integers(0, 99))
def test_the_share_is_drawn_of_all_and_of_every_owner(owned, share, seed):
    drawn = draw_cells(owned, share, seed)
    assert len(drawn) == len(set(drawn))
    everything = set().union(*owned.values())
    assert set(drawn) <= everything
    for part in (everything, *owned.values()):
        assert len(part & set(drawn)) >= max(1, ceil(share * len(part) - 1e-6))
    assert drawn == draw_cells({key: sorted(owned[key], reverse=True) for key in owned}, share, seed)


def test_another_seed_draws_others():
    owned = {"paper": [f"cv/{number}/mine" for number in range(100)]}
    assert len(draw_cells(owned, 0.05, 1)) == 5
    assert draw_cells(owned, 0.05, 1) != draw_cells(owned, 0.05, 2)
    assert draw_cells(owned, 1, 1) == sorted(owned["paper"])


@pytest.mark.parametrize("share", [0, -0.1, 1.5])
def test_an_impossible_share_is_refused(share):
    with pytest.raises(ConfigError, match="lies above 0 and is at most 1"):
        draw_cells({"paper": ["cv/toy/mine"]}, share, 1)
