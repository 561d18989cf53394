"""Configs of one's own: what they add to the plan, and what is refused before anything runs."""

import re

import pytest
import yaml

from labelknn.errors import ConfigError
from labelknn_papers.plan.config import merge, read_yaml
from labelknn_papers.plan.own import check_files
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.provenance import source_files

from ..checkout import CONFIG
from ..conftest import ROOT

MINE = {"title": "Mine", "class": "mine:Mine"}
LOCAL = {
    "title": "Toy",
    "task": "ranking",
    "sources": [{"reader": "kebi", "files": {"toy.csv": {"path": "toy.csv"}}, "options": {"file": "toy.csv"}}],
}


# A comparison in full, and what it may leave to another one.
FULL = {
    "title": "Ours",
    "datasets": ["toy", "iris-generated"],
    "protocol": {"kind": "cross-validation", "folds": 3},
    "methods": ["lrt", "cc-averaged", "mine"],
    "metrics": ["kendall_tau"],
}


def plan(**own):
    return Plan(merge(CONFIG, {"methods": {"mine": MINE}, "datasets": {"toy": LOCAL}, **own}), ROOT)


def joins(name, *papers):
    return {paper: [{"method": name, "role": "joined"}] for paper in papers}


def compare(**comparison):
    return {"compare": {"ours": comparison}}


@pytest.fixture(scope="module")
def joined():
    return plan(runs=joins("mine", *CONFIG["papers"]))


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
    template = Plan(merge(CONFIG, read_yaml(ROOT / "config/template.yaml")), ROOT)
    check_files(template)
    assert {target.published.method for target in template.own["cheng2009"]} == {"nearest-ranking"}
    assert {cell.method for cell in template.paper_cells("cheng2009")} > {"nearest-ranking"}


def test_the_configs_in_the_guide_are_some():
    """The page on a method and data of one's own has one config for each."""
    page = (ROOT / "docs/guide/own.md").read_text()
    configs = re.findall(r"^```yaml\n(.*?)```", page, re.DOTALL | re.MULTILINE)
    with_method, with_data = (Plan(merge(CONFIG, yaml.safe_load(text)), ROOT) for text in configs)
    assert {target.published.method for target in with_method.own["chiang2012"]} == {"share"}
    assert {target.published.table for target in with_method.own["chiang2012"]} == {"table3"}
    assert {cell.dataset for cell in with_method.cells} == {"emotions"}
    assert with_data.comparisons["birds"]["datasets"] == ["my-birds"]


def test_a_comparison_of_ones_own_has_the_form_of_the_others():
    made = plan(**compare(**FULL))
    ours = made.comparisons["ours"]
    assert ours["methods"] == {
        "LRT": {"method": "lrt"},
        "CC, averaged after 100 epochs": {"method": "cc-averaged"},
        "Mine": {"method": "mine"},
    }
    assert ours["datasets"] == ["toy", "iris-generated"]
    assert (ours["level"], ours["time_limit"], ours["memory_limit"]) == (0.05, 120, 4)
    assert "cv-1x3" in made.protocols
    assert len(made.entries("ours")) == 6
    assert made.cells == plan().cells, "it is a target of its own"


def test_a_comparison_can_be_like_another_one():
    model = plan().comparisons["ranking"]
    ours = plan(**compare(like="ranking", datasets=["toy"], methods={"My method": "mine"})).comparisons["ours"]
    assert ours["datasets"] == ["toy"]
    assert not ours["grand"]
    assert ours["methods"] == {**model["methods"], "My method": {"method": "mine"}}
    assert {key: ours[key] for key in ("protocol", "metrics")} == {key: model[key] for key in ("protocol", "metrics")}
    sets = plan(**compare(like="multilabel", datasets=["emotions"], metrics=["rmse"])).comparisons["ours"]
    assert sets["metrics"] == ["rmse"]


def test_a_comparison_of_ones_own_can_be_part_of_the_run():
    made = plan(**compare(**FULL), papers=[], comparisons=["ours"])
    assert {cell.path for cell in made.cells} == {
        f"cv-1x3/{dataset}/{method}"
        for dataset in ("toy", "iris-generated")
        for method in ("lrt", "cc-averaged", "mine")
    }


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"runs": joins("mine", "cheng2008")}, "unknown paper 'cheng2008'. Did you mean 'cheng2009'"),
        ({"runs": joins("min", "cheng2009")}, "runs, cheng2009: unknown method 'min'. Did you mean 'mine'"),
        ({"runs": joins("iblr-ml", "chiang2012")}, "have a method 'iblr-ml' already"),
        ({"runs": joins("mlknn-k6-9", "cheng2009")}, "'mlknn-k6-9' has a sweep"),
        ({"runs": {"cheng2009": [{"method": "mine", "role": "variant"}]}}, "unknown value 'variant'.* Known: joined"),
        (compare(**FULL | {"datasets": ["toi"]}), "ours, datasets: unknown data set 'toi'. Did you mean 'toy'"),
        (compare(**FULL | {"methods": ["ibrl"]}), "ours, methods: unknown method 'ibrl'. Did you mean 'iblr'"),
        (compare(**FULL | {"methods": {"IBLR": "ibrl"}}), "ours, methods: unknown method 'ibrl'. Did you mean 'iblr'"),
        (compare(**FULL | {"datasets": ["iris-raw"]}), "'iris-raw' is a classification data set"),
        (
            compare(**FULL | {"dataset": ["toy"]}),
            "compare, ours: unknown key 'dataset'. Did you mean 'datasets'",
        ),
        (compare(**FULL | {"metrics": ["kendal_tau"]}), "unknown metric 'kendal_tau'. Did you mean 'kendall_tau'"),
        (compare(**FULL | {"preprocessing": "minmax"}), "ours, preprocessing: unknown value 'minmax'"),
        (compare(**FULL | {"time_limit": 0}), "ours, time_limit: 0 is less than or equal to the minimum of 0"),
        (
            compare(like="rankings", datasets=["toy"]),
            "like: unknown comparison 'rankings'. Did you mean 'ranking'",
        ),
        (compare(title="Ours", datasets=["toy"]), "config, compare, ours: 'protocol' is a required property"),
        ({"compare": {"index": FULL}}, "compare: 'index' is the name of something else to make"),
        (
            compare(**FULL | {"peers": [{"ours": "CC", "theirs": "Mine", "because": "it is"}]}),
            "ours, peers: unknown method 'CC'",
        ),
        (
            {"methods": {"mine": MINE, "again": MINE}, **compare(**FULL | {"methods": ["mine", "again"]})},
            "'mine' and 'again' have the same title 'Mine'",
        ),
        ({"datasets": {"toy": merge(LOCAL, {"sources": [{"reader": "kebi", "files": {"a": {}}}]})}}, "datasets, toy"),
    ],
)
def test_what_is_unknown_is_refused(own, message):
    with pytest.raises(ConfigError, match=message):
        plan(**own)


def test_files_that_are_not_there_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"modules: .*nowhere is no folder"):
        check_files(plan(modules="nowhere"))
    with pytest.raises(ConfigError, match="methods, mine, class: module 'mine' cannot be found; expected it in"):
        check_files(plan(modules=str(tmp_path)))
    (tmp_path / "mine.py").write_text("raise SystemExit('a look at it must not run it')\n\n\nclass Min: ...\n")
    with pytest.raises(ConfigError, match=r"unknown class 'Mine'\. Did you mean 'Min'\?"):
        check_files(plan(modules="."))
    with (tmp_path / "mine.py").open("a") as file:
        file.write("\n\nclass Mine: ...\n")
    with pytest.raises(ConfigError, match=r"datasets, toy: there is no file toy\.csv"):
        check_files(plan(modules="."))
    (tmp_path / "toy.csv").touch()
    check_files(plan(modules="."))


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"class": "mine:Mine", "params": {"shares": 1}}, r"unknown parameter 'shares'\. Did you mean 'share'"),
        ({"class": "mine:Mine", "sweep": {"shares": [1]}}, "unknown parameter 'shares'"),
        ({"class": "mine.Heir", "params": {"depth": 1}}, "mine:Heir: unknown parameter 'depth'.* Known: share"),
        ({"class": "labelknn.multilabel:MLkNN", "params": {"kk": 3}}, r"unknown parameter 'kk'\. Did you mean 'k'"),
        ({"class": "labelknn.MLkNN", "params": {"kk": 3}}, r"unknown parameter 'kk'\. Did you mean 'k'"),
        ({"class": "sklearn.neighbors.KNeighborsClassifier", "params": {"k": 3}}, "unknown parameter 'k'"),
        (
            {
                "class": "sklearn.multioutput.ClassifierChain",
                "params": {"estimator": {"class": "sklearn.linear_model.LogisticRegression", "params": {"c": 1}}},
            },
            "sklearn.linear_model:LogisticRegression: unknown parameter 'c'",
        ),
        (
            {
                "class": "labelknn.OneThreshold",
                "params": {"estimator": {"class": "labelknn.MLkNN"}},
                "sweep": {"estimator__kk": [1]},
            },
            r"labelknn:MLkNN: unknown parameter 'kk'\. Did you mean 'k'",
        ),
        (
            {
                "class": "sklearn.model_selection.GridSearchCV",
                "params": {"estimator": {"class": "mine.Mine"}, "param_grid": {"shares": [1, 2]}},
            },
            r"mine:Mine: unknown parameter 'shares'\. Did you mean 'share'",
        ),
        (
            {
                "class": "sklearn.model_selection.GridSearchCV",
                "params": {
                    "estimator": {
                        "class": "labelknn.OneThreshold",
                        "params": {"estimator": {"class": "labelknn.BRkNN"}},
                    },
                    "param_grid": [{"estimator__k": [1]}, {"estimator__s": [1]}],
                },
            },
            "labelknn:BRkNN: unknown parameter 's'",
        ),
    ],
)
def test_a_wrong_parameter_is_refused_before_anything_runs(tmp_path, monkeypatch, entry, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "toy.csv").touch()
    (tmp_path / "mine.py").write_text(
        "raise SystemExit('a look at it must not run it')\n"
        "class Mine:\n    def __init__(self, share=1):\n        ...\n"
        "class Heir(Mine): ...\n"
        "class Open:\n    def __init__(self, **any): ...\n"
    )
    made = Plan(merge(CONFIG, {"methods": {"wrong": {"title": "Wrong", **entry}}}), ROOT)
    made.config["modules"] = "."
    with pytest.raises(ConfigError, match=f"methods, wrong, params: .*{message}"):
        check_files(made)
    right = {"mine": {"share": 2}, "open": {"all": 1}}
    for name, params in right.items():
        method = {"title": name, "class": f"mine.{name.capitalize()}", "params": params}
        check_files(plan(methods={"mine": method}, modules="."))


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
    assert "_brknn.py" in {path.name for path in found}
    assert tmp_path / "unused.py" not in found
    assert not [path for path in found if "numpy" in path.parts]
