"""Configs of one's own: what they add to the plan, and what is refused before anything runs."""

import pytest
import yaml

from labelknn.errors import ConfigError
from labelknn_papers.plan.config import merge
from labelknn_papers.plan.own import check_files
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.provenance import source_files

from ..conftest import ROOT

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
MINE = {"title": "Mine", "class": "mine:Mine"}
LOCAL = {
    "title": "Toy",
    "task": "ranking",
    "sources": [{"reader": "kebi", "files": {"toy.csv": {"path": "toy.csv"}}, "options": {"file": "toy.csv"}}],
}


def plan(**own):
    return Plan(merge(CONFIG, {"algorithms": {"mine": MINE}, "datasets": {"toy": LOCAL}, **own}), ROOT)


@pytest.fixture(scope="module")
def joined():
    return plan(join={paper: ["mine"] for paper in CONFIG["papers"]})


def test_a_method_joins_every_table_that_compares_methods_by_scores(joined):
    tables = {paper: {target.published.table for target in targets} for paper, targets in joined.own.items()}
    assert tables["brinker2007"] == {"table2"}, "table 1 has run times"
    assert tables["cheng2009"] == {"table2"}
    assert tables["chiang2012"] == {"table1", "table3", "table5"}
    assert tables["zhang2005"] == {"table2"}, "table 1 is about one method"
    assert tables["feremans2017"] >= {"table2", "table3"}


def test_it_has_one_place_for_each_data_set_metric_and_setting(joined):
    for paper, targets in joined.own.items():
        fields = ("table", "dataset", "metric", "setting")
        places = [tuple(getattr(target.published, field) for field in fields) for target in targets]
        assert len(places) == len(set(places)), paper
        assert {target.published.printed for target in targets} == {""}
        assert {target.cell for target in targets} <= set(joined.paper_cells(paper))
    assert len(joined.own["zhang2005"]) == 5, "one for each metric, whatever settings the others have"


def test_it_runs_on_the_splits_of_the_table(joined):
    paths = {target.cell.path for target in joined.own["brinker2007"]}
    assert "hold-out-10x70/alpha/mine" in paths
    assert not [path for path in paths if path.startswith("hold-out-1x")], "not under the protocol of a single method"
    settings = {(target.published.setting, target.setting) for target in joined.own["cheng2009"]}
    assert settings == {(f"missing={rate}", f"missing={rate}") for rate in (0.0, 0.3, 0.6)}
    assert {target.setting for target in joined.own["chiang2012"]} == {""}


def test_the_published_numbers_stay_what_they_are(joined):
    assert joined.targets == plan().targets
    assert not any(plan().own.values())


def test_the_template_joins_a_paper():
    template = Plan(merge(CONFIG, yaml.safe_load((ROOT / "config/template.yaml").read_text())), ROOT)
    check_files(template, None)
    assert {target.published.method for target in template.own["cheng2009"]} == {"nearest-ranking"}
    assert {cell.algorithm for cell in template.paper_cells("cheng2009")} > {"nearest-ranking"}


def test_all_methods_of_the_task_on_chosen_data_sets():
    grand = plan(compare={"datasets": ["toy", "iris-generated"]}).grand
    assert list(grand) == ["ranking"]
    assert grand["ranking"]["datasets"] == grand["ranking"]["ranked"] == ["toy", "iris-generated"]
    assert {"IBLR", "LRT", "CC", "mine"} <= set(grand["ranking"]["methods"])
    assert "ML-kNN" not in grand["ranking"]["methods"]
    sets = plan(compare={"datasets": ["emotions"]}).grand["multilabel"]["methods"]
    assert sets == {**plan().grand["multilabel"]["methods"], "mine": "mine"}


def test_chosen_methods_only():
    chosen = {
        "datasets": ["toy"],
        "methods": ["LRT", "cc-averaged"],
        "protocol": {"kind": "cross-validation", "folds": 3},
    }
    made = plan(compare=chosen)
    assert made.grand["ranking"]["methods"] == {"LRT": "lrt", "cc-averaged": "cc-averaged"}
    assert "cv-1x3" in made.protocols


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"join": {"cheng2008": ["mine"]}}, "unknown paper 'cheng2008'. Did you mean 'cheng2009'"),
        ({"join": {"cheng2009": ["min"]}}, "join, cheng2009: unknown algorithm 'min'. Did you mean 'mine'"),
        ({"join": {"chiang2012": ["iblr-ml"]}}, "have a method 'iblr-ml' already"),
        ({"join": {"cheng2009": ["mlknn-k6-9"]}}, "'mlknn-k6-9' has a sweep"),
        ({"compare": {"datasets": ["toi"]}}, "compare, datasets: unknown data set 'toi'. Did you mean 'toy'"),
        ({"compare": {"datasets": ["toy"], "methods": ["IBRL", "LRT"]}}, "unknown method 'IBRL'. Did you mean 'IBLR'"),
        ({"compare": {"datasets": ["iris-raw"]}}, "'iris-raw' is a classification data set"),
        ({"compare": {"dataset": ["toy"]}}, "config, compare: unknown key 'dataset'. Did you mean 'datasets'"),
        ({"compare": {"datasets": ["emotions"], "methods": ["ML-kNN", "mlknn-k6-9"]}}, "'mlknn-k6-9' has a sweep"),
        (
            {"compare": {"datasets": ["toy"], "protocol": {"kind": "cross-validation", "folds": 3, "missing": [0.3]}}},
            "compare, protocol: `missing` belongs to a paper's protocol",
        ),
        ({"datasets": {"toy": merge(LOCAL, {"sources": [{"reader": "kebi", "files": {"a": {}}}]})}}, "datasets, toy"),
    ],
)
def test_what_is_unknown_is_refused(own, message):
    with pytest.raises(ConfigError, match=message):
        plan(**own)


def test_files_that_are_not_there_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"python_path: .*nowhere is no folder"):
        check_files(plan(), tmp_path / "nowhere")
    with pytest.raises(ConfigError, match="algorithms, mine, class: module 'mine' cannot be found; expected it in"):
        check_files(plan(), tmp_path)
    (tmp_path / "mine.py").write_text("raise SystemExit('a look at it must not run it')\n")
    with pytest.raises(ConfigError, match=r"datasets, toy: there is no file toy\.csv"):
        check_files(plan(), tmp_path)
    (tmp_path / "toy.csv").touch()
    check_files(plan(), tmp_path)


def test_a_method_of_several_files(tmp_path):
    package = tmp_path / "kit"
    package.mkdir()
    files = {
        "kit/__init__.py": "",
        "kit/method.py": "import numpy\nfrom . import near\nfrom .far import f\nimport labelknn.multilabel._brknn\n",
        "kit/near.py": "import loose\n",
        "kit/far.py": "",
        "loose.py": "",
        "unused.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = source_files("kit.method", tmp_path)
    assert {tmp_path / name for name in files if name != "unused.py"} <= set(found)
    assert "brknn.py" in {path.name for path in found}
    assert tmp_path / "unused.py" not in found
    assert not [path for path in found if "numpy" in path.parts]
