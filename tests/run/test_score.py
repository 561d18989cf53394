"""The file of scores: what is damaged is named, not read as far as it goes."""

import pytest

from labelknn.errors import DataError
from labelknn_papers.run.score import Score, read_scores, write_scores

SCORES = [Score("cv-1x2", "toy", "mlknn", "", 0, fold, "hamming_loss", 0.125) for fold in (0, 1)]


def test_scores_survive_their_file(tmp_path):
    write_scores(tmp_path / "s.csv", SCORES)
    assert read_scores([tmp_path / "s.csv"]) == SCORES


@pytest.mark.parametrize("cut", [1, 3, 10, 30])
def test_a_table_that_is_cut_off_is_refused(tmp_path, cut):
    write_scores(tmp_path / "s.csv", SCORES)
    whole = (tmp_path / "s.csv").read_bytes()
    (tmp_path / "s.csv").write_bytes(whole[:-cut])
    with pytest.raises(DataError, match=r"s\.csv: cannot be read as a table of scores .*; delete it and run again"):
        read_scores([tmp_path / "s.csv"])
