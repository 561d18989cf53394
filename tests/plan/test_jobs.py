"""Which cells go together: each in one job, none of which outlasts the others, and the same ones every time."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.errors import DataError
from labelknn_papers.plan.cells import Limits
from labelknn_papers.plan.jobs import Job, alone, divide, division_of, read_division, read_seconds, simulate, whole_jobs
from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.protocol import Protocol

from ..checkout import CONFIG
from ..conftest import ROOT

PROTOCOL = Protocol("cross-validation", 1, 10)


def job(dataset="toy", methods="abc", **more):
    return Job(PROTOCOL, dataset, "run", tuple(methods), **more)


@st.composite
def timed_jobs(draw):
    """Jobs, and the seconds of most of their cells."""
    sizes = draw(st.lists(st.integers(1, 8), min_size=1, max_size=8))
    jobs = [job(f"d{number}", [f"m{one}" for one in range(size)]) for number, size in enumerate(sizes)]
    seconds = {cell.path: draw(st.floats(0, 1000)) for one in jobs for cell in one.cells if draw(st.integers(0, 9)) > 0}
    return jobs, seconds


@settings(max_examples=200, deadline=None)
@given(timed_jobs(), st.integers(1, 40))
def test_each_cell_is_in_one_job_and_none_is_too_long(given_jobs, cores):
    jobs, seconds = given_jobs
    divided = divide(jobs, seconds, cores)
    cells = [cell for one in divided for cell in one.cells]
    assert sorted(cell.path for cell in cells) == sorted(cell.path for one in jobs for cell in one.cells)
    assert len({one.path for one in divided}) == len(divided)
    share = sum(seconds.values()) / cores
    longest = {one.group: max(seconds.get(cell.path, 0) for cell in one.cells) for one in jobs}
    for one in divided:
        assert one.seconds(seconds) <= max(share / 2, longest[one.group]) + 1e-6
        assert list(one.methods) == sorted(one.methods), "in the order of the plan"
    assert divide(jobs, seconds, cores) == divided
    assert divide(jobs, {}, 1, division_of(divided)) == divided, "what is divided stays so"


@settings(max_examples=200, deadline=None)
@given(timed_jobs(), st.integers(1, 40))
def test_the_run_takes_little_longer_than_its_share_or_its_longest_cell(given_jobs, cores):
    jobs, seconds = given_jobs
    share, longest = sum(seconds.values()) / cores, max(seconds.values(), default=0.0)
    took = simulate(divide(jobs, seconds, cores), seconds, cores)
    assert share - 1e-6 <= took <= share + max(longest, share / 2) + 1e-6


@pytest.mark.parametrize("cores", [4, 8, 16, 32])
def test_the_recorded_run_takes_little_longer_than_its_share_or_its_longest_cell(cores):
    """By the seconds of the last full run; a job takes two more for imports and reading."""
    jobs = [one for one in whole_jobs(Plan(CONFIG, ROOT)) if one.name == "run"]
    known = read_seconds([ROOT / "figures/seconds.csv"])
    seconds = {cell.path: known[cell.path] for one in jobs for cell in one.cells if cell.path in known}
    assert len(seconds) > 580
    took = simulate(divide(jobs, seconds, cores), seconds, cores, each=2.0)
    assert took <= max(1.5 * sum(seconds.values()) / cores, max(seconds.values()) + 2)


def test_a_job_that_would_outlast_the_others_is_divided_by_method():
    seconds = {job().cells[0].path: 10.0, job().cells[1].path: 4.0, job().cells[2].path: 5.0}
    seconds |= {cell.path: 7.0 for cell in job("other").cells}
    parts = divide([job(), job("other")], seconds, 2)
    assert [(one.path, "".join(one.methods)) for one in parts] == [
        ("cv-1x10/toy/run.1", "a"),
        ("cv-1x10/toy/run.2", "bc"),
        ("cv-1x10/other/run.1", "a"),
        ("cv-1x10/other/run.2", "b"),
        ("cv-1x10/other/run.3", "c"),
    ]
    assert simulate(parts, seconds, 2) == 23
    assert simulate(parts, seconds, 2, each=1.0) == 26
    assert divide([job(), job("other"), job("last", "a")], {**seconds, "cv-1x10/last/a": 60.0}, 2)[:2] == [
        job(),
        job("other"),
    ]


def test_a_job_with_other_methods_is_divided_anew():
    earlier = {"cv-1x10/toy/run": [["a"], ["b", "c"]]}
    assert [one.methods for one in divide([job()], {}, 1, earlier)] == [("a",), ("b", "c")]
    assert divide([job(methods="abcd")], {}, 1, earlier) == [job(methods="abcd")]


def test_what_only_a_comparison_asks_for_is_apart():
    ours = {
        "title": "Ours",
        "datasets": ["synthetic-multilabel", "emotions"],
        "protocol": {"kind": "cross-validation", "folds": 7},
        "methods": ["mlknn", "feature-knn-10w"],
        "metrics": ["hamming_loss"],
    }
    others = {"run": ours | {"methods": ["mlknn"]}, "short": ours | {"methods": ["mlknn"], "time_limit": 5}}
    asked = {"papers": [], "compare": {"ours": ours, **others}}
    first = {one.path: one for one in whole_jobs(Plan(CONFIG | asked | {"comparisons": ["ours"]}, ROOT))}
    of_run = first["cv-1x7/synthetic-multilabel/run"]
    assert of_run.methods == ("mlknn", "feature-knn-10w")
    assert not of_run.may_fail
    assert of_run.limits is None, "what is part of the run has no limits"
    tried = first["cv-1x7/emotions/try-run"]
    assert tried.methods == ("mlknn@nominal-to-binary",), "each method for itself, as a user would run it"
    assert tried.may_fail
    assert tried.limits == Limits(120, 4)
    second = {one.path: one for one in whole_jobs(Plan(CONFIG | asked | {"comparisons": []}, ROOT))}
    assert second["cv-1x7/synthetic-multilabel/try-ours"].methods == ("feature-knn-10w@min-max",)
    assert second["cv-1x7/synthetic-multilabel/try-ours+run"].methods == ("mlknn@nominal-to-binary",), "once for both"
    assert second["cv-1x7/synthetic-multilabel/try-short"].limits == Limits(5, 4), "with other limits apart"


def test_every_cell_of_the_run_has_a_job():
    plan = Plan(CONFIG, ROOT)
    jobs = whole_jobs(plan)
    of_run = [cell for one in jobs if one.name == "run" for cell in one.cells]
    assert len(of_run) == len(plan.cells)
    assert set(of_run) == set(plan.cells)


def test_what_a_figure_on_request_needs_is_no_part_of_the_run():
    plan = Plan(CONFIG, ROOT)
    (job,) = [one for one in whole_jobs(plan) if one.name == "on-request"]
    assert [cell.path for cell in job.cells] == ["public-split/delicious/iblr-ml-one-threshold-k15"]
    assert not job.may_fail, "somebody has asked for it"
    assert job.cells == plan.cells_on_request
    assert not set(job.cells) & {cell for owned in plan.cells_by_owner.values() for cell in owned}


def test_seconds_are_those_of_the_first_file_that_is_there(tmp_path):
    assert read_seconds([tmp_path / "none.csv"]) == {}
    (tmp_path / "some.csv").write_text("cell,seconds\na/b/c,1.50\n")
    assert read_seconds([tmp_path / "none.csv", tmp_path / "some.csv"]) == {"a/b/c": 1.5}
    (tmp_path / "wrong.csv").write_text("cell,seconds\na/b/c\n")
    with pytest.raises(DataError, match=r"wrong\.csv: no table of seconds by cell"):
        read_seconds([tmp_path / "wrong.csv"])


def test_a_division_is_read_back(tmp_path):
    assert read_division(tmp_path / "division.json") == {}
    (tmp_path / "division.json").write_text("{")
    with pytest.raises(DataError, match=r"division\.json: cannot be read"):
        read_division(tmp_path / "division.json")


def test_a_cell_alone_is_a_job_that_must_not_fail():
    (cell, _) = job(methods="ab").cells
    found = alone(cell)
    assert found.cells == [cell]
    assert found.path.endswith("/toy/only-a")
    assert not found.may_fail
