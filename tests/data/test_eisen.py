"""Eisen's expression data: the real file, and files that are none."""

import numpy as np
import pytest

from labelknn.errors import DataError
from labelknn_papers.data.eisen import read_eisen, read_expression


@pytest.mark.mirror
def test_expression_matrix(mirror):
    path = mirror / "yeast-expression" / "dsyeastexpression.rda"
    genes, columns, matrix = read_expression(path)
    assert matrix.shape == (len(genes), len(columns)) == (2467, 79)
    assert len(set(genes)) == 2467
    experiments = [column.rpartition("_")[0] for column in columns]
    assert [experiments.count(name) for name in ("alpha", "Elu", "cdc15", "heat", "dtt", "cold", "diau")] == [
        18, 14, 15, 6, 4, 4, 7,
    ]  # fmt: skip
    assert matrix[genes.index("YAL001C"), columns.index("alpha_0")] == -0.38
    data = read_eisen("yeast-expression", path.parent, file=path.name)
    assert (data.task, data.Y, data.feature_names) == ("regression", None, columns)
    np.testing.assert_array_equal(data.X, matrix)


@pytest.mark.parametrize("content", [b"", b"not R", b"RDX2\nX\n\0\0"])
def test_damaged_file(tmp_path, content):
    (tmp_path / "e.rda").write_bytes(content)
    with pytest.raises(DataError, match=r"e\.rda: "):
        read_expression(tmp_path / "e.rda")


@pytest.mark.mirror
def test_cut_off_file(tmp_path, mirror):
    whole = (mirror / "yeast-expression" / "dsyeastexpression.rda").read_bytes()
    (tmp_path / "e.rda").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"e\.rda: not an R data file"):
        read_expression(tmp_path / "e.rda")


def test_missing_file(tmp_path):
    with pytest.raises(DataError, match=r"e\.rda: cannot be read"):
        read_eisen("yeast-expression", tmp_path, file="e.rda")
