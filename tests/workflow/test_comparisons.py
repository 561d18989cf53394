"""A small comparison of all methods, one of which cannot do what it is asked for."""

import pytest

from .test_workflow import embedded, rows, snakemake

pytestmark = [pytest.mark.workflow, pytest.mark.long]

CONFIG = embedded(
    title="Rankings",
    datasets=["iris-generated", "wine-generated", "iris"],
    methods={"IBLR": "iblr", "LRT": "lrt", "ML-kNN": "mlknn", "CC": "cc"},
    metrics=["kendall_tau"],
    ranked=["iris-generated", "wine-generated"],
    cannot=[{"methods": ["CC"], "datasets": ["wine-generated"], "because": "not asked for"}],
) | {"comparisons": []}


def test_values_where_there_are_some_and_reasons_elsewhere(tmp_path):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    offline = {"LABELKNN_MIRROR": str(mirror), "LABELKNN_OFFLINE": "1"}
    run = snakemake(tmp_path, CONFIG, "--", "compare", **offline)
    assert run.returncode == 0, run.stderr
    found = {(row["method"], row["dataset"]): row for row in rows(tmp_path / "out/comparisons/embedded.csv")}
    assert len(found) == 4 * 3
    for method in ("IBLR", "LRT"):
        for dataset in ("iris-generated", "wine-generated"):
            row = found[method, dataset]
            assert float(row["low"]) < float(row["mean"]) < float(row["high"])
            assert row["splits"] == "10"
    assert "MLkNN is for multilabel data" in found["ML-kNN", "iris-generated"]["note"]
    assert found["CC", "wine-generated"]["note"] == "not asked for"
    assert found["IBLR", "iris"]["note"] == "source unreachable"
    assert not list((tmp_path / "data").rglob("wine-generated/cc.*")), "what cannot run is not tried"
    tests = rows(tmp_path / "out/comparisons/embedded_tests.csv")
    assert {row["detail"] for row in tests if row["test"] == "average rank"} == {"IBLR", "LRT"}
    assert {row["detail"] for row in tests if row["test"] == "not ranked"} == {"ML-kNN", "CC"}
    assert (tmp_path / "out/comparisons/embedded_kendall_tau.svg").read_text().lstrip().startswith("<?xml")
    trade_off = rows(tmp_path / "out/comparisons/embedded_trade_off.csv")
    assert {row["method"] for row in trade_off} == {"IBLR", "LRT"}
    assert trade_off[0]["unbeaten"] == "True", "the fastest"
    assert not (tmp_path / "out/index.html").exists(), "it is no part of the papers' run"

    again = snakemake(tmp_path, CONFIG, "--dry-run", "--", "compare", **offline)
    assert "Nothing to be done" in again.stdout + again.stderr
