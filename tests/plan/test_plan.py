"""The real config, and what happens when something in it is misspelt."""

import copy

import pytest
import yaml

from labelknn.errors import ConfigError
from labelknn_papers.plan.config import merge
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.cell import settings_of

from ..conftest import ROOT

CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())


@pytest.fixture(scope="module")
def plan():
    return Plan(CONFIG, ROOT)


def test_every_published_number_has_a_target(plan):
    """1,034 printed numbers and 14 N/A cells (shared/papers/README)."""
    targets = [target for key in plan.papers for target in plan.targets[key]]
    assert len(targets) == 1048
    assert sum(target.published.value is not None for target in targets) == 1034


def test_table_1_of_zhang2005_is_one_cell(plan):
    cells = {target.cell for target in plan.targets["zhang2005"] if target.published.table == "table1"}
    assert [cell.path for cell in cells] == ["public-split/yeast/mlknn-k6-9"]
    assert {target.setting for target in plan.targets["zhang2005"] if target.published.table == "table1"} == set(
        settings_of(plan.algorithms["mlknn-k6-9"])
    )


def test_synthetic_data_are_in_no_papers_table(plan):
    assert not [name for key in plan.papers for name in plan.paper_datasets(key) if name.startswith("synthetic")]
    assert "synthetic-multilabel" in plan.used_datasets


def test_quick_is_laid_over_the_full_config():
    quick = merge(CONFIG, yaml.safe_load((ROOT / "config/quick.yaml").read_text()))
    assert Plan(quick, ROOT).config["figures"] == "quick"


def test_merge_follows_snakemake():
    merged = merge({"a": {"x": 1, "y": [1, 2]}, "b": 1}, {"a": {"y": [3]}, "c": {"d": 1}})
    assert merged == {"a": {"x": 1, "y": [3]}, "b": 1, "c": {"d": 1}}


def test_a_method_can_be_one_setting_of_an_algorithm_and_have_its_own_protocol():
    """Table 1 of zhang2005 with k = 6 alone, a variant with a setting for each metric, and ten splits."""
    table = {
        "methods": {"mlknn": {"algorithm": "mlknn-k6-9", "setting": "k=6"}},
        "variants": {"mlknn": {"algorithm": "mlknn", "setting": "tuned={metric}"}},
        "protocols": {"mlknn": {"kind": "hold-out", "train": 0.5, "repeats": 10}},
    }
    own = {"override": {"papers": {"zhang2005": {"tables": {"table1": table}}}}}
    plan = Plan(merge(CONFIG, own), ROOT)
    targets = [target for target in plan.targets["zhang2005"] if target.published.table == "table1"]
    assert {(target.cell.path, target.setting) for target in targets} == {("hold-out-10x50/yeast/mlknn-k6-9", "k=6")}
    assert all(target.setting == f"tuned={target.metric}" for target in plan.variants["zhang2005"])
    assert {target.cell.algorithm for target in plan.variants["zhang2005"]} == {"mlknn"}


def test_own_algorithm_and_own_layout_without_touching_the_repository():
    own = {
        "algorithms": {"mine": {"title": "Mine", "class": "labelknn.multilabel._mlknn:MLkNN", "params": {"k": 3}}},
        "override": {"papers": {"zhang2005": {"tables": {"table1": {"methods": {"mlknn": "mine"}}}}}},
    }
    cells = Plan(merge(CONFIG, own), ROOT).paper_cells("zhang2005")
    assert "mine" in [cell.algorithm for cell in cells]
    assert "mlknn-k6-9" not in [cell.algorithm for cell in cells]


def test_left_out_data_sets_are_left_out():
    own = {"override": {"papers": {"chiang2012": {"tables": {"table2": {"only": ["yeast"]}}}}}}
    targets = Plan(merge(CONFIG, own), ROOT).targets["chiang2012"]
    of_table_2 = [target for target in targets if target.published.table == "table2"]
    assert {target.published.dataset for target in of_table_2 if not target.left_out} == {"yeast"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sed": 3}, r"config: unknown key 'sed'. Did you mean 'seed'\? Known: .*papers.*seed"),
        ({"seed": "three"}, "config, seed: 'three' is not of type 'integer'"),
        ({"papers": ["zhang2006"]}, r"unknown paper 'zhang2006'. Did you mean 'zhang2005'\?"),
        ({"studies": ["embeded"]}, "unknown study 'embeded'. Did you mean 'embedded'"),
        (
            {"override": {"papers": {"zhang2005": {"tables": {"table1": {"methods": {"mlknn": "mlkn"}}}}}}},
            "zhang2005.yaml, table1, methods: unknown algorithm 'mlkn'. Did you mean 'mlknn'",
        ),
        (
            {"override": {"papers": {"zhang2005": {"tables": {"table1": {"methds": {}}}}}}},
            "zhang2005.yaml, tables, table1: unknown key 'methds'. Did you mean 'methods'",
        ),
        (
            {"override": {"papers": {"zhang2005": {"tables": {"table1": {"methods": {"ml-knn": "mlknn"}}}}}}},
            "unknown method 'ml-knn'.*Known: mlknn",
        ),
        (
            {
                "override": {
                    "papers": {
                        "zhang2005": {
                            "tables": {"table9": {"title": "", "caption": "", "layout": {"rows": [], "columns": []}}}
                        }
                    }
                }
            },
            "unknown table 'table9'",
        ),
        (
            {"override": {"papers": {"feremans2017": {"datasets": {"Medical": "medica"}}}}},
            "feremans2017.yaml, datasets: unknown data set 'medica'. Did you mean 'medical'",
        ),
        (
            {"override": {"papers": {"zhang2005": {"protocol": {"kind": "public-splitt"}}}}},
            "unknown value 'public-splitt'.*Known: cross-validation, hold-out, public-split",
        ),
        (
            {"override": {"studies": {"every-method": {"metrics": ["haming_loss"]}}}},
            "unknown metric 'haming_loss'. Did you mean 'hamming_loss'",
        ),
        (
            {"override": {"studies": {"every-method": {"datasets": ["synthetic"]}}}},
            "every-method.yaml, datasets: unknown data set 'synthetic'",
        ),
        ({"algorithms": {"mine": {"title": "x"}}}, "algorithms, mine: 'class' is a required property"),
        ({"algorithms": {"mine": {"title": "x", "class": "here"}}}, "algorithms, mine, class"),
        ({"datasets": {"yeast": {"tsk": "multilabel"}}}, "datasets, yeast: unknown key 'tsk'"),
        (
            {"override": {"papers": {"chiang2012": {"tables": {"table2": {"only": ["yeats"]}}}}}},
            "table2, only: unknown data set 'yeats'. Did you mean 'yeast'",
        ),
    ],
)
def test_what_is_unknown_is_refused_and_the_known_names_are_given(change, message):
    with pytest.raises(ConfigError, match=message):
        Plan(merge(copy.deepcopy(CONFIG), change), ROOT)


def test_grand_comparisons_try_every_method_on_every_data_set(plan):
    for task, comparison in plan.grand.items():
        entries = plan.grand_entries(task)
        assert len(entries) == len(comparison["methods"]) * len(comparison["datasets"])
        assert all(plan.datasets[entry.cell.dataset].get("task") == task for entry in entries)
        assert {entry.cell.protocol.id for entry in entries} <= set(plan.protocols)
        ranked = {entry.method for entry in entries} - {
            entry.method for entry in entries if entry.cannot and entry.cell.dataset in comparison["ranked"]
        }
        assert len(ranked) > 2, "enough methods are tried on all data sets that are ranked"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": {"A": "mlkn", "B": "mlknn"}}, "unknown algorithm 'mlkn'. Did you mean 'mlknn'?"),
        ({"ranked": ["scene"]}, "unknown data set 'scene'"),
        ({"cannot": [{"methods": ["C"], "datasets": ["yeast"], "because": "it is"}]}, "unknown method 'C'"),
        ({"metrics": ["hamming"]}, "unknown metric 'hamming'"),
    ],
)
def test_a_misspelt_grand_comparison_is_refused(change, message):
    comparison = {
        "title": "Small",
        "protocol": {"kind": "cross-validation", "folds": 10},
        "datasets": ["yeast"],
        "methods": {"A": "mlknn", "B": "brknn"},
        "metrics": ["hamming_loss"],
        "ranked": ["yeast"],
        "level": 0.05,
    }
    with pytest.raises(ConfigError) as caught:
        Plan(merge(CONFIG, {"override": {"grand": {"multilabel": comparison | change}}}), ROOT)
    assert message in str(caught.value)


def test_every_cell_has_an_owner(plan):
    owned = plan.cells_by_owner
    assert set(owned) == {*plan.papers, *plan.studies}
    assert set().union(*owned.values()) == set(plan.cells)
    assert len(plan.cells) == len(set(plan.cells))
