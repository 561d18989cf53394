"""Cells in one process, and the store: what is there is not run again, and what decides a cell decides its place."""

import csv
import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from labelknn.datasets._container import Dataset, save
from labelknn.errors import DataError
from labelknn_papers.plan.protocol import Protocol, load_splits, make_splits, save_splits
from labelknn_papers.run import group as running
from labelknn_papers.run.cell import run_cell
from labelknn_papers.run.digests import digest_cell
from labelknn_papers.run.group import Group, run_block, run_group
from labelknn_papers.run.predictions import save_predictions
from labelknn_papers.run.score import score_cell, write_scores
from labelknn_papers.run.store import forget_lost, read_results, reasons_of, times_of, write_results

METHOD = """
import numpy as np

class Frequent:
    def fit(self, X, Y):
        self.set_ = Y.mean(axis=0) > 0.5
    def predict(self, X):
        return np.tile(self.set_, (X.shape[0], 1))
"""


@pytest.fixture
def toy():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    return Dataset("toy", "multilabel", X, X[:, :2] + rng.normal(size=(60, 2)) > 0.3, tuple("xyz"), ("a", "b"))


@pytest.fixture
def group(tmp_path, monkeypatch, toy):
    """Two methods that share neighbours, one that does not, and one of one's own."""
    own = tmp_path / "methods"
    own.mkdir()
    (own / "group_frequent.py").write_text(METHOD)
    monkeypatch.syspath_prepend(str(own))
    monkeypatch.chdir(tmp_path)
    save(toy, "data/prepared/toy.npz")
    save_splits("data/splits/cv-1x3/toy.npz", make_splits(Protocol("cross-validation", 1, 3), toy, 1))
    shared = {"params": {"k": 4}, "preprocessing": "min-max", "neighbors": 5}
    methods = {
        "mlknn": {"class": "labelknn:MLkNN", **shared},
        "alone": {"class": "labelknn:MLkNN", "params": {"k": 4}},
        "brknn": {"class": "labelknn:BRkNN", **shared},
        "own": {"class": "group_frequent:Frequent"},
    }
    return Group("cv-1x3", "toy", [], "data/splits/cv-1x3/toy.npz", methods, 1, "data", str(own))


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def ran(group):
    """The methods that were run, and those that were scored, in this call; and all results."""
    results, here = {}, {"run": set(), "score": set(), "search": set()}
    for result, costs in run_group(group):
        results[result.cell.rpartition("/")[2]] = result
        for cost in costs:
            assert cost.wall_seconds >= 0
            if cost.here:
                here[cost.stage].add(cost.method)
    return results, here


def test_results_are_those_of_each_cell_alone(group, toy, tmp_path):
    results, here = ran(group)
    assert here["run"] == here["score"] == set(group.methods) == set(results)
    assert len(here["search"]) == 1, "for both methods that look at the same neighbours"
    splits = load_splits(group.splits)
    for method, result in results.items():
        predictions, _ = run_cell(toy, splits, group.methods[method], group.seed)
        save_predictions(tmp_path / "alone.npz", predictions)
        write_scores(tmp_path / "alone.csv", score_cell("cv-1x3", method, toy, splits, predictions))
        alone = digest_cell(result.cell, tmp_path / "alone.npz", tmp_path / "alone.csv")
        assert (result.predictions_sha256, result.scores_sha256) == alone[1:]
        assert result.cell == f"cv-1x3/toy/{method}"
        assert all(map(os.path.exists, result.files))


def test_what_is_in_the_store_is_not_run_again(group):
    first, _ = ran(group)
    again, here = ran(group)
    assert again == first
    assert not any(here.values())
    changed = group.methods | {"alone": {"class": "labelknn:MLkNN", "params": {"k": 5}}}
    second, here = ran(replace(group, methods=changed))
    assert here["run"] == here["score"] == {"alone"}
    assert second["alone"].predictions != first["alone"].predictions
    assert ran(group)[0] == first, "two configs that mean different things by a name do not meet"
    for other in (replace(group, seed=2), replace(group, protocol="other")):
        assert ran(other)[1]["run"] == set(group.methods)


def test_an_edited_method_runs_alone(group):
    ran(group)
    path = os.path.join(group.modules, "group_frequent.py")
    with open(path, "a") as file:
        file.write("# edited\n")
    assert ran(group)[1] == {"run": {"own"}, "score": {"own"}, "search": set()}


def test_edited_metrics_run_no_model(group, monkeypatch):
    first, _ = ran(group)
    monkeypatch.setattr(running, "score_digest", lambda: "edited")
    second, here = ran(group)
    assert here == {"run": set(), "score": set(group.methods), "search": set()}
    for method, result in second.items():
        assert result.scores != first[method].scores
        assert result.predictions == first[method].predictions
        assert result.scores_sha256 == first[method].scores_sha256


def test_a_group_that_is_stopped_goes_on_at_the_cell(group):
    cells = run_group(group)
    done = {next(cells)[0].cell.rpartition("/")[2] for _ in range(2)}
    cells.close()
    _, here = ran(group)
    assert here["run"] == set(group.methods) - done


class Failing:
    def __init__(self, tried):
        self.tried = tried

    def fit(self, X, Y):
        with open(self.tried, "a") as file:
            file.write("x")
        raise ValueError("too  few\nrows")

    def predict(self, X):
        return X


def test_why_a_method_fails_is_a_result(group, tmp_path):
    count = tmp_path / "tried"
    failing = {"class": f"{__name__}:Failing", "params": {"tried": str(count)}}
    failing_group = replace(group, methods={"failing": failing, **group.methods}, may_fail=True)
    results, here = ran(failing_group)
    assert results["failing"].reason == "ValueError: too few rows"
    assert results["failing"].files == []
    assert here["run"] == set(group.methods), "the others are run"
    assert ran(failing_group)[0] == results
    assert count.read_text() == "x", "it is not tried again"
    assert ran(replace(failing_group, may_fail=False))[0]["failing"].reason
    assert count.read_text() == "xx", "where it should not fail, it is"


def test_a_machine_without_memory_is_no_reason(group, monkeypatch):
    def full(*arguments, **named):
        raise MemoryError

    monkeypatch.setattr(running, "run_cell", full)
    with pytest.raises(MemoryError):
        ran(replace(group, may_fail=True))
    assert not os.path.exists("data/cells")


class Abrupt:
    """It misses a file of its own, or ends the process that it runs in."""

    def __init__(self, end=False):
        self.end = end

    def fit(self, X, Y):
        if self.end:
            sys.exit("a method should not do this")
        Path("nowhere.model").read_text()

    def predict(self, X):
        return X


def test_what_ends_a_method_leaves_the_others_standing(group):
    abrupt = {name: {"class": f"{__name__}:Abrupt", "params": {"end": name == "ends"}} for name in ("misses", "ends")}
    tried = replace(group, methods={**abrupt, **group.methods}, may_fail=True, limits={"seconds": 60, "gigabytes": 8})
    results, here = ran(tried)
    assert results["misses"].reason == "FileNotFoundError: [Errno 2] No such file or directory: 'nowhere.model'"
    assert results["ends"].reason == "ChildProcessError: the process of the cell ended by exit code 1"
    assert here["run"] == set(group.methods)


def test_damaged_predictions_are_named(group):
    result = ran(group)[0]["mlknn"]
    with open(result.predictions, "r+b") as file:
        file.truncate(100)
    with pytest.raises(DataError, match=r"predictions\.npz: cannot be read"):
        ran(replace(group, may_fail=True))
    os.unlink(result.predictions)
    assert ran(group)[1]["run"] == {"mlknn"}


def test_results_are_read_back_and_forgotten_when_files_are_gone(group, tmp_path):
    results = sorted(ran(group)[0].values())
    path = tmp_path / "results.csv"
    write_results(path, results)
    found = read_results([path])
    assert list(found.values()) == results
    assert reasons_of(found) == {}
    assert times_of(found, []) == {}
    forget_lost(path)
    assert path.exists()
    os.unlink(results[0].times)
    forget_lost(path)
    assert not path.exists()
    assert ran(group)[1]["run"] == {results[0].cell.rpartition("/")[2]}


def test_blocks_of_queries_give_the_whole_to_the_byte(group, tmp_path):
    whole, _ = ran(group)
    expected = {cell: Path(result.predictions).read_bytes() for cell, result in whole.items()}
    sums = {cell: sum(row["stage"] == "predict" for row in rows(Path(result.times))) for cell, result in whole.items()}
    shutil.rmtree("data/cells")
    scattered = replace(group, blocks=3)
    # The second is left to the job that puts them together; what it finds, it does not run again.
    for name in ("1-of-3", "3-of-3"):
        assert [reason for reason, _ in run_block(group, name)] == [""] * 4
    found, here = ran(scattered)
    assert {cell: Path(result.predictions).read_bytes() for cell, result in found.items()} == expected
    assert [result[4:] for result in found.values()] == [result[4:] for result in whole.values()]
    assert here["run"] == set(group.methods)
    assert not list(Path("data/cells").rglob("blocks"))
    for cell, result in found.items():
        assert sum(row["stage"] == "predict" for row in rows(Path(result.times))) == sums[cell]
    assert ran(group)[1]["run"] == set()
    assert list(run_block(group, "1-of-3")) == []


def test_more_blocks_than_queries(group):
    group = replace(group, methods={"alone": group.methods["alone"]})
    expected = Path(ran(group)[0]["alone"].predictions).read_bytes()
    shutil.rmtree("data/cells")
    assert Path(ran(replace(group, blocks=25))[0]["alone"].predictions).read_bytes() == expected


def test_a_block_that_fails_says_why(group):
    methods = {"mlknn": {"class": "labelknn:MLkNN", "params": {"k": 4000}}}
    failing = replace(group, methods=methods, may_fail=True)
    ((reason, _),) = run_block(failing, "1-of-2")
    assert "k = 4000" in reason
    assert ran(replace(failing, blocks=2))[0]["mlknn"].reason == reason


class Slow:
    def __init__(self, tried, gigabytes=0):
        self.tried = tried
        self.gigabytes = gigabytes

    def fit(self, X, Y):
        with open(self.tried, "a") as file:
            file.write("x")
        self.rows_ = np.ones(int(self.gigabytes * 125_000_000))
        while not self.gigabytes:
            sum(range(1000))

    def predict(self, X):
        return X


def test_what_takes_more_than_it_may_is_a_result_until_the_limit_changes(group, tmp_path):
    slow = {"class": f"{__name__}:Slow", "params": {"tried": str(tmp_path / "slow")}}
    large = {"class": f"{__name__}:Slow", "params": {"tried": str(tmp_path / "large"), "gigabytes": 40}}
    limited = replace(group, methods={"slow": slow, "large": large, **group.methods}, may_fail=True)
    limited = replace(limited, limits={"seconds": 2, "gigabytes": 3})
    results, here = ran(limited)
    assert results["slow"].reason == "more than 2 s"
    assert results["large"].reason.startswith("more than 3 GB of memory (unable to allocate 37.3 GiB")
    assert here["run"] == set(group.methods), "the others are run"
    again, here = ran(limited)
    assert (again, here["run"]) == (results, set())
    assert (tmp_path / "slow").read_text() == "x", "it is not tried again"
    ran(replace(limited, methods={"slow": slow}, limits={"seconds": 1, "gigabytes": 3}))
    assert (tmp_path / "slow").read_text() == "xx", "with another limit it is"


def test_limits_change_no_result_and_put_searches_into_the_seconds(group):
    without, _ = ran(group)
    limited, here = ran(replace(group, limits={"seconds": 300, "gigabytes": 8}, may_fail=True))
    for method, result in limited.items():
        assert result[4:] == without[method][4:], "the same bits"
        assert result.times != without[method].times
        assert {row["stage"] for row in rows(Path(result.times))} == {"fit", "predict"}
    assert not here["search"]
    stages = {row["stage"] for row in rows(Path(without["alone"].times))}
    assert stages > {"fit", "predict"}
