"""Two libraries side by side: scores, seconds, and how much of what differs has the cause that is given; by hand."""

import numpy as np
import pytest
from scipy import stats

from labelknn.errors import DataError
from labelknn.utils._files import write_table
from labelknn_papers.judge.outcomes import outcomes
from labelknn_papers.judge.peers import PEER_COLUMNS, Cause, explanations, peer_rows, read_causes
from labelknn_papers.judge.seconds import Seconds
from labelknn_papers.run.score import Score

from .test_seconds import COMPARISON, FOLDS, entry

PAIR = {"ours": "Ours", "theirs": "Theirs", "because": "It counts itself.\n"}
LOSSES = {"ours": np.array([0.1, 0.2]), "theirs": np.array([0.15, 0.22])}


@pytest.fixture
def lines():
    """The row of data set a, by the causes that are known; on b nothing ran."""
    entries = [entry(name, dataset) for name in ("Ours", "Theirs") for dataset in "ab"]
    scores = [
        Score(FOLDS.id, "a", name, "", 0, fold, "hamming_loss", value)
        for name, values in LOSSES.items()
        for fold, value in enumerate(values)
    ]
    comparison = COMPARISON | {"peers": [PAIR]}
    rows = outcomes(entries, comparison, scores, {}, {})
    seconds = [Seconds("a", "Ours", "", 2, 1.0, 1.0), Seconds("a", "Theirs", "", 2, 5.0, 5.0)]

    def made(*causes):
        (line,) = peer_rows(comparison, entries, rows, scores, seconds, causes)
        return dict(zip(PEER_COLUMNS, line, strict=True))

    return made


def test_scores_seconds_and_the_paired_test(lines):
    found = lines()
    d = LOSSES["ours"] - LOSSES["theirs"]
    t = d.mean() / np.sqrt((1 / 2 + 1) * d.var(ddof=1))  # half of the rows are tested: n_test / n_train is 1
    assert float(found["p"]) == pytest.approx(2 * stats.t.sf(abs(t), 1), abs=1e-4)
    assert (found["dataset"], found["difference"], found["time_ratio"]) == ("a", "-0.035000", "5")
    assert found["because"] == "It counts itself."


def test_the_reason_says_how_much_of_the_difference_it_explains(lines):
    of = ("Ours", "Theirs", "", "a")
    assert lines(Cause(*of, 1500, 30, 4, 0))["because"] == (
        "It counts itself. 30 of 1,500 labels differ. Where ours does the same, 4 do; "
        "with neighbours in the other's order too, none."
    )
    assert lines(Cause(*of, 1500, 30, 0, 0))["because"].endswith("Where ours does the same, none do.")
    assert lines(Cause(*of, 1500, 30, 30, 30))["because"].endswith(
        "Where ours does the same, 30 do; with neighbours in the other's order too, 30."
    ), "a reason that explains nothing is not hidden"
    assert lines(Cause(*of, 1500, 0, 0, 0))["because"].endswith("All 1,500 labels are the same; their scores are not.")
    assert lines(Cause("Ours", "Theirs", "", "b", 1500, 30, 4, 0))["because"] == "It counts itself."


@pytest.mark.parametrize(
    ("left", "share"), [((0, 0), "all"), ((1, 0), "99 %"), ((150, 100), "40 %"), ((250, 0), "0 %")]
)
def test_over_all_data_sets(left, share):
    causes = [Cause("Ours", "Theirs", "", "a", 1000, 50, 0, 0), Cause("Ours", "Theirs", "", "b", 1000, 200, *left)]
    (text,) = explanations([PAIR], [*causes, Cause("Ours", "Another", "", "b", 1000, 999, 999, 999)])
    assert text.startswith(
        "Theirs beside Ours: It counts itself. On 2 data sets 250 of 2,000 predicted labels differ. "
    )
    assert text.endswith(f" The reason explains {share} of the differences.")
    assert explanations([PAIR], []) == ["Theirs beside Ours: It counts itself."]


def test_causes_survive_their_file(tmp_path):
    causes = [Cause("Ours", "Theirs", "", "a", 1500, 30, 4, 0)]
    write_table(tmp_path / "causes.csv", Cause._fields, causes)
    assert read_causes(tmp_path / "causes.csv") == causes
    (tmp_path / "causes.csv").write_text("ours,theirs\nOurs,Theirs\n")
    with pytest.raises(DataError, match=r"causes\.csv"):
        read_causes(tmp_path / "causes.csv")
