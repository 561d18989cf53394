"""Run times as ratios: what stages count, what they are divided by, and how far apart is close."""

import pytest

from labelknn.utils._files import write_table
from labelknn_papers.judge.times import STAGE_COLUMNS, TimeComparison, compare_times, stage_rows, write_times
from labelknn_papers.plan.cells import Cell, Published, Target
from labelknn_papers.plan.protocol import Protocol

PROTOCOL = Protocol("hold-out", 2, train=0.7)


def target(method, metric, printed, algorithm, setting="", dataset="alpha"):
    cell = Cell(PROTOCOL, dataset, algorithm) if algorithm else None
    return Target(Published("table1", dataset, method, metric, setting, printed, ""), metric, dataset, cell, setting)


@pytest.fixture
def files(tmp_path):
    def measured(algorithm, rows):
        header = ("repeat", "fold", "setting", "stage", "seconds")
        write_table(tmp_path / f"{algorithm}.csv", header, rows)

    measured(
        "knn",
        [
            (0, 0, "", "search training", 5.0),
            (0, 0, "", "search queries", 1.0),
            (0, 0, "k=1", "predict", 7.0),
            (0, 0, "k=100", "fit", 100.0),
            (0, 0, "k=100", "predict", 1.0),
            (1, 0, "", "search queries", 2.0),
            (1, 0, "k=100", "predict", 4.0),
        ],
    )
    measured("crpc", [(0, 0, "", "fit", 64.0), (0, 0, "", "predict", 16.0)])
    return {Cell(PROTOCOL, "alpha", name).path: str(tmp_path / f"{name}.csv") for name in ("knn", "crpc")}


def test_ratios_by_hand(files):
    """Ours: k-NN tests in (1 + 1 + 2 + 4) / 2 = 4 s, CRPC trains in 64 s, tests in 16 s; geometric mean 16 s."""
    knn, train, test = targets = [
        target("knn", "test_seconds", "1", "knn", "k=100"),
        target("crpc", "train_seconds", "8", "crpc"),
        target("crpc", "test_seconds", "1", "crpc"),
    ]
    found = {one.target: one for one in compare_times(targets, files)}
    assert [found[one].seconds for one in targets] == [4, 64, 16]
    assert [found[one].published_ratio for one in targets] == pytest.approx([1 / 2, 4, 1 / 2])
    assert [found[one].our_ratio for one in targets] == pytest.approx([1 / 4, 4, 1])
    assert [found[one].verdict for one in (knn, train, test)] == ["matches", "matches", "matches"]


def test_a_whole_run_is_the_sum_of_all_stages(files):
    (one,) = compare_times([target("crpc", "runtime_seconds", "3", "crpc")], files)
    assert one.seconds == 80
    assert [one.our_ratio, one.published_ratio] == pytest.approx([1, 1])


def test_what_was_not_measured_is_left_out_of_the_mean(files, tmp_path):
    targets = [
        target("knn", "test_seconds", "1", "knn", "k=100"),
        target("br", "train_seconds", "8", None),
        target("lcif", "train_seconds", "8", "lcif"),
        target("crpc", "train_seconds", "", "crpc"),
        target("crpc", "hamming_loss", ".1", "crpc"),
        target("knn", "test_seconds", "1", "knn", "k=100", dataset="beta"),
    ]
    found = compare_times(targets, files)
    assert [one.target for one in found] == targets[:1]
    write_times(tmp_path / "times.csv", found, {targets[0]: "a tree"})
    assert (tmp_path / "times.csv").read_text().splitlines()[1:] == [
        "table1,alpha,knn,test_seconds,k=100,1,4,1,1,matches,a tree"
    ]


@pytest.mark.parametrize(
    ("ours", "verdict"), [(2.0, "matches"), (0.5, "matches"), (2.1, "close"), (0.1, "close"), (11.0, "differs")]
)
def test_verdicts(ours, verdict):
    assert TimeComparison(target("knn", "test_seconds", "1", "knn"), 1.0, 1.0, ours).verdict == verdict


def test_stages_are_summed_apart_over_splits_and_settings(tmp_path):
    lines = ["0,0,,search training,1", "0,0,,search queries,2", "0,0,k=1,fit,3", "0,0,k=1,predict,4", "0,1,k=2,fit,5"]
    (tmp_path / "times.csv").write_text("\n".join(["repeat,fold,setting,stage,seconds", *lines, ""]))
    (row,) = stage_rows({"cv-1x2/toy/knn": str(tmp_path / "times.csv")})
    assert dict(zip(STAGE_COLUMNS, row, strict=True)) == {
        "cell": "cv-1x2/toy/knn",
        "splits": "2",
        "search_seconds": "3.0000",
        "fit_seconds": "8.0000",
        "predict_seconds": "4.0000",
    }
