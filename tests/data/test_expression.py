"""Who is who among the genes, and rankings with ties and a split point."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from labelknn.datasets._container import Dataset
from labelknn.datasets._readers import read
from labelknn.errors import ConfigError, DataError
from labelknn_papers.data.eisen import read_eisen
from labelknn_papers.data.expression import TASKS, ZERO_LEVELS, expression_task, reconstruct

SIZES = {"alpha": 18, "elu": 14, "cdc": 15, "spo": 11, "heat": 6, "dtc": 4, "cold": 4, "diau": 7}


def made_up(genes=30, seed=0):
    """Expression of named genes, and what two KEBI files would say about all but two of them, in another order."""
    rng = np.random.default_rng(seed)
    columns = tuple(f"spo_{t}" for t in range(8)) + tuple(f"heat_{t}" for t in range(6))
    log_ratios = rng.normal(size=(genes, len(columns)))
    names = tuple(f"G{number}" for number in range(genes))
    chosen = rng.permutation(genes)[: genes - 2]
    features = rng.normal(size=(genes - 2, 3))
    kebi = {}
    for prefix, start, stop in (("spo", 0, 8), ("heat", 8, 14)):
        ranks = np.argsort(np.argsort(-log_ratios[chosen, start:stop], axis=1), axis=1) + 1
        labels = tuple("abcdefgh"[: stop - start])
        kebi[prefix] = Dataset(prefix, "ranking", features, ranks, ("p1", "p2", "p3"), labels)
    return Dataset("expression", "regression", log_ratios, None, columns, row_names=names), kebi, chosen


def small_table(log_ratios, columns):
    X = np.column_stack([np.zeros(len(log_ratios)), np.array(log_ratios)])
    return Dataset("toy", "regression", X, None, ("p1", *columns))


def test_genes_are_found_by_their_rankings():
    expression, kebi, chosen = made_up()
    table, matching = reconstruct(expression, kebi)
    assert table.row_names == tuple(f"G{number}" for number in chosen)
    np.testing.assert_array_equal(table.X, np.hstack([kebi["spo"].X, expression.X[chosen]]))
    assert table.feature_names == ("p1", "p2", "p3", *expression.feature_names)
    assert matching.close == 1
    assert (matching.distances == 0).all()
    assert matching.margin > 10


def test_files_that_do_not_belong_together_are_refused():
    expression, kebi, _ = made_up()
    other, *_ = made_up(seed=1)
    with pytest.raises(DataError, match="do not belong together"):
        reconstruct(other, kebi)
    shifted = kebi | {"heat": replace(kebi["heat"], X=kebi["heat"].X + 1)}
    with pytest.raises(DataError, match="spo and heat have different features"):
        reconstruct(expression, shifted)
    with pytest.raises(DataError, match=r"7 columns spo\*, but spo ranks 8 labels"):
        reconstruct(replace(expression, X=expression.X[:, 1:], feature_names=expression.feature_names[1:]), kebi)
    with pytest.raises(DataError, match="28 profiles but only 20 genes"):
        reconstruct(replace(expression, X=expression.X[:20], row_names=expression.row_names[:20]), kebi)
    holed = expression.X.copy()
    holed[4, 1] = np.nan
    with pytest.raises(DataError, match="gene G4 has no value in column 'spo_1'"):
        reconstruct(replace(expression, X=holed), kebi)
    with pytest.raises(ConfigError, match="unknown rule for ties 'first'"):
        reconstruct(expression, kebi, ties="first")


def test_rankings_keep_ties_and_have_a_split_point():
    # The gene's mean over all its columns is 1, of which only the cold ones are ranked.
    table = small_table([[2.0, -0.5, 2.0, 0.5, 1.0]], ("cold_0", "cold_20", "cold_40", "cold_160", "heat_0"))
    by_mean = expression_task(table, "cold")
    assert by_mean.Y.tolist() == [[1, 4, 1, 3, 2]]
    assert by_mean.label_names == ("cold_0", "cold_20", "cold_40", "cold_160", "|")
    assert expression_task(table, "cold", zero_level="zero").Y.tolist() == [[1, 4, 1, 2, 3]]


def test_a_level_equal_to_the_split_point_ties_with_it():
    table = small_table([[1.0, 0.0, -1.0, 0.0]], ("cold_0", "cold_20", "cold_40", "cold_160"))
    assert expression_task(table, "cold", zero_level="zero").Y.tolist() == [[1, 2, 3, 2, 2]]


def test_task_errors():
    table = small_table([[1.0]], ("cold_0",))
    with pytest.raises(ConfigError, match="unknown task 'dtt'"):
        expression_task(table, "dtt")
    with pytest.raises(ConfigError, match="unknown zero level 'mean'"):
        expression_task(table, "cold", zero_level="mean")
    with pytest.raises(DataError, match="no column begins with 'heat'"):
        expression_task(table, "heat")


@pytest.fixture(scope="module")
def yeast(mirror):
    folder = mirror / "yeast-expression"
    kebi = {
        prefix: read(prefix, "ranking", "kebi", folder, {"file": f"kebi-{prefix}.txt", "ranking": "ranks"})
        for prefix in ("spo", "heat", "dtt", "cold", "diau")
    }
    return read_eisen("yeast", folder, file="dsyeastexpression.rda"), kebi


@pytest.fixture(scope="module")
def expected(mirror):
    """The reference reconstruction: gene name to its 24 + 79 numbers."""
    with open(mirror / "yeast-expression" / "expected_exp_phylo.csv", encoding="utf-8", newline="") as file:
        rows = csv.reader(file)
        next(rows)
        return {gene: np.array(numbers, float) for gene, *numbers in rows}


@pytest.fixture(scope="module")
def table(yeast):
    return reconstruct(*yeast)


@pytest.mark.mirror
def test_the_reconstruction_equals_the_reference(yeast, table, expected):
    found, matching = table
    assert set(found.row_names) == set(expected)
    assert set(yeast[0].row_names) - set(found.row_names) == {"YKL200C", "YER108C"}
    np.testing.assert_array_equal(found.X, np.array([expected[gene] for gene in found.row_names]))
    assert matching.close > 0.83
    assert matching.margin == 26


@pytest.mark.mirror
def test_with_average_ranks_the_genes_are_in_alphabetical_order(yeast, expected):
    found, _ = reconstruct(*yeast, ties="average")
    assert list(found.row_names) == sorted(found.row_names)
    differs = [gene for gene, row in zip(found.row_names, found.X, strict=True) if (row != expected[gene]).any()]
    assert differs == ["YER117W", "YHR010W", "YML063W", "YNL302C", "YOL121C", "YPL090C"]


@pytest.mark.mirror
def test_the_eight_tasks(table):
    assert list(TASKS) == list(SIZES)
    assert sum(SIZES.values()) + 24 == table[0].d
    for task, size in SIZES.items():
        for zero_level in ZERO_LEVELS:
            data = expression_task(table[0], task, zero_level)
            assert data.X.shape == (2465, 24)
            assert data.Y.shape == (2465, size + 1)
            # Dense: each row uses the ranks 1..m, without gaps.
            assert all(set(row) == set(range(1, row.max() + 1)) for row in data.Y)
