"""The real config, and what happens when something in it is misspelt."""

import pytest

from labelknn.errors import ConfigError
from labelknn_papers.plan.cells import Limits
from labelknn_papers.plan.comparisons import protocol_for
from labelknn_papers.plan.config import main, merge, read_yaml
from labelknn_papers.plan.plan import Plan
from labelknn_papers.run.cell import fits_of

from ..checkout import CONFIG, checkout
from ..conftest import ROOT
from ..small import ALL


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
    fitted = {name for fit in fits_of(plan.methods["mlknn-k6-9"], "multilabel") for name in fit.names.values()}
    assert {target.setting for target in plan.targets["zhang2005"] if target.published.table == "table1"} == fitted


def test_synthetic_data_are_in_no_papers_table(plan):
    assert not [name for key in plan.papers for name in plan.paper_datasets(key) if name.startswith("synthetic")]
    assert "synthetic-multilabel" in plan.used_datasets


@pytest.fixture(scope="module")
def quick():
    return Plan(merge(CONFIG, read_yaml(ROOT / "config/quick.yaml")), ROOT)


def test_quick_is_a_part_of_the_full_run(plan, quick):
    """The same numbers, of which most are left out; tables, tests and layouts are those of the full run."""
    assert quick.config["figures"] == "quick"
    for key, paper in quick.papers.items():
        assert [target.published for target in quick.targets[key]] == [one.published for one in plan.targets[key]]
        assert paper["tables"] == plan.papers[key]["tables"]
        assert paper.get("figures", {}).keys() <= plan.papers[key].get("figures", {}).keys()
    assert sum(target.left_out for key in quick.papers for target in quick.targets[key]) > 600


def numbers(plan, had):
    """The printed numbers that the plan has something for, on data with a source whose files are all `had`."""
    reached = {
        name
        for name, entry in plan.datasets.items()
        if any(all(map(had, source.get("files", {}).values())) for source in entry.get("sources", ()))
    }
    return [
        (key, target.published.table, target.dataset)
        for key, targets in plan.targets.items()
        for target in targets
        if target.published.value is not None
        and (target.cell or (target.dataset and not target.published.method))
        and {name for name in plan.with_bases([target.dataset]) if not plan.bases(name)} <= reached
    ]


def test_quick_has_a_data_set_for_every_table_of_the_mirror(plan, quick, mirror):
    def here(file):
        return "mirror" in file and (mirror / file["mirror"]).exists()

    assert {place[:2] for place in numbers(quick, here)} == {place[:2] for place in numbers(plan, here)}


def test_quick_without_a_network_is_iris_and_wine(quick):
    assert {dataset for *_, dataset in numbers(quick, lambda file: False)} == {"iris-generated", "wine-generated"}


def test_quick_asks_for_published_rankings_only_where_a_figure_shows_them(quick):
    """The generated ones stand in everywhere else; what cannot be reached takes time as well."""
    published = {name for name in quick.datasets if f"{name}-generated" in quick.datasets}
    assert published & set(quick.used_datasets) == {"iris", "wine"}


def test_quick_keeps_the_protocols_where_they_fit(quick):
    parts = {(key, cell.dataset): cell.protocol.shortened for key in quick.papers for cell in quick.paper_cells(key)}
    assert {name for (key, name), part in parts.items() if key == "cheng2009" and not part} >= {
        "iris-generated",
        "wine-generated",
    }
    assert {part for (key, _), part in parts.items() if key in ("feremans2017", "zhang2005")} == {""}
    # Also where a method has more splits to itself.
    assert {cell.protocol.id for cell in quick.paper_cells("chiang2012")} == {"cv-5x10-first-10", "cv-50x10-first-10"}
    assert {cell.protocol for cell in quick.figure_cells("chiang2012", "oracle_gap").values()} <= {
        cell.protocol for cell in quick.paper_cells("chiang2012")
    }


def test_merge_follows_snakemake():
    merged = merge({"a": {"x": 1, "y": [1, 2]}, "b": 1}, {"a": {"y": [3]}, "c": {"d": 1}})
    assert merged == {"a": {"x": 1, "y": [3]}, "b": 1, "c": {"d": 1}}


def edited(folder, changes, **config):
    """The plan with the file of zhang2005 changed."""
    return Plan(CONFIG | config, checkout(folder, {"config/papers/zhang2005.yaml": changes}))


def of_table_1(runs):
    return {"tables": {"table1": {"runs": runs}}}


def test_a_run_can_be_one_setting_of_a_method_and_have_its_own_protocol(tmp_path):
    """Table 1 of zhang2005 with k = 6 alone, a variant with a setting for each metric, and ten splits."""
    halves = {"kind": "hold-out", "train": 0.5, "repeats": 10}
    runs = [
        {"name": "mlknn", "method": "mlknn-k6-9", "setting": "k=6", "protocol": halves},
        {"name": "mlknn", "method": "mlknn", "setting": "tuned={metric}", "role": "variant"},
    ]
    plan = edited(tmp_path, of_table_1(runs))
    targets = [target for target in plan.targets["zhang2005"] if target.published.table == "table1"]
    assert {(target.cell.path, target.setting) for target in targets} == {("hold-out-10x50/yeast/mlknn-k6-9", "k=6")}
    variants = [target for target in plan.variants["zhang2005"] if target.published.table == "table1"]
    assert all(target.setting == f"tuned={target.metric}" for target in variants)
    assert {target.cell.path for target in variants} == {"hold-out-10x50/yeast/mlknn"}


def test_a_run_for_one_data_set_stands_in_there(plan):
    cells = {
        (target.published.dataset, target.cell.method)
        for target in plan.targets["cheng2009"]
        if target.published.method == "cc" and target.cell
    }
    assert {dataset for dataset, method in cells if method == "cc-averaged"} == {
        "calhousing",
        "elevators",
        "fried",
        "pendigits",
    }
    assert len(cells) == 16


def test_a_reference_runs_on_complete_rankings_beside_the_runs_of_its_table(plan):
    trees = [cell for cell in plan.paper_cells("cheng2009") if cell.method == "c45"]
    assert {cell.protocol.id for cell in trees} == {"cv-5x10"}
    assert len(trees) == 16
    assert "c45" not in {target.cell.method for target in plan.targets["cheng2009"] if target.cell}


def test_an_own_method_in_the_place_of_a_papers(tmp_path):
    mine = {"title": "Mine", "class": "labelknn.multilabel._mlknn:MLkNN", "params": {"k": 3}}
    plan = edited(tmp_path, of_table_1([{"name": "mlknn", "method": "mine"}]), methods={"mine": mine})
    cells = plan.paper_cells("zhang2005")
    assert "mine" in [cell.method for cell in cells]
    assert "mlknn-k6-9" not in [cell.method for cell in cells]


def filtered(**only):
    return Plan(merge(CONFIG, {"only": only}), ROOT)


def kept(plan, paper, table):
    targets = [target for target in plan.targets[paper] if target.published.table == table]
    return {target.published.dataset for target in targets if not target.left_out}


def test_left_out_tables_and_data_sets_are_left_out():
    two = filtered(chiang2012={"tables": {"table2": ["yeast"], "table1": "all"}})
    assert kept(two, "chiang2012", "table2") == {"yeast"}
    assert len(kept(two, "chiang2012", "table1")) == 6
    assert kept(two, "chiang2012", "table3") == set()
    everywhere = filtered(chiang2012={"datasets": ["yeast", "scene"]})
    for table in ("table1", "table2", "table5"):
        assert kept(everywhere, "chiang2012", table) == {"yeast", "scene"}
    both = filtered(chiang2012={"tables": ["table1"], "datasets": ["yeast"]})
    assert (kept(both, "chiang2012", "table1"), kept(both, "chiang2012", "table2")) == ({"yeast"}, set())


def test_left_out_figures_have_no_data_but_a_place_where_it_is_said():
    some = filtered(brinker2007={"figures": {"gap": ["emotions"]}}, zhang2005={"figures": []})
    drawn = {name: one["datasets"] for name, one in some.papers["brinker2007"]["figures"].items()}
    assert drawn == {"matching": [], "gap": ["emotions"]}
    assert {dataset for dataset, _ in some.figure_cells("brinker2007", "gap")} == {"emotions"}
    assert some.figure_cells("brinker2007", "matching") == {}
    assert some.papers["zhang2005"]["figures"].keys() == {"rounds", "adtree", "iterations"}, "pictures"
    assert filtered(feremans2017={"figures": []}).papers["feremans2017"]["figures"] == {}, "one is drawn on request"
    assert filtered(brinker2007={"figures": ["gap"]}).figure_cells("brinker2007", "gap") == Plan(
        CONFIG, ROOT
    ).figure_cells("brinker2007", "gap")


def test_what_needs_all_of_its_data_is_left_out_without_one_of_them():
    some = filtered(brinker2007={"figures": {"matching": ["yeast-spo", "yeast-expression"]}})
    assert some.papers["brinker2007"]["figures"]["matching"]["datasets"] == []


def test_one_filter_for_all_papers(plan):
    """No figure, no other paper and no comparison; what a table has beside printed numbers stays."""
    some = filtered(papers=["chiang2012"], tables=["table3"], datasets=["emotions"])
    assert (list(some.papers), some.run_comparisons) == (["chiang2012"], [])
    of_table = {target.cell for target in plan.targets["chiang2012"] if target.published.table == "table3"}
    assert {cell for cell in of_table if cell and cell.dataset == "emotions"} == {
        target.cell for target in some.targets["chiang2012"] if target.cell
    }
    assert {cell.dataset for cell in some.cells} == {"emotions"}
    assert some.variants["chiang2012"]
    figures = filtered(figures=["gap"], datasets=["scene"])
    assert {(cell.dataset, cell.method) for cell in figures.cells} == {
        ("scene", name) for name in ("gap-k10", "gap-k20", "gap-k30", "mlknn")
    }


def test_what_is_said_of_one_paper_is_laid_over_what_is_said_of_all():
    some = filtered(datasets=["emotions", "yeast"], chiang2012={"splits": 5, "datasets": ["yeast"]})
    assert kept(some, "chiang2012", "table3") == {"yeast"}
    assert {cell.protocol.shortened for cell in some.paper_cells("chiang2012")} == {"5 of 50 splits", "5 of 500 splits"}
    assert kept(some, "zhang2005", "table1") == {"yeast"}
    assert filtered(datasets=["emotions"], **{"every-method": {}}).run_comparisons == ["every-method"]


@pytest.mark.parametrize("name", ["medical", "Medical"])
def test_a_data_set_has_the_papers_name_and_the_configs(name):
    short = filtered(papers=["feremans2017"], datasets=[name])
    assert kept(short, "feremans2017", "table2") == {"Medical"}
    assert {cell.dataset for cell in short.cells} == {"medical"}
    assert short.papers["feremans2017"]["figures"]["by_k"]["datasets"] == ["medical"]
    assert kept(filtered(feremans2017={"datasets": [name]}), "feremans2017", "table2") == {"Medical"}
    alone = filtered(feremans2017={"tables": {"table2": [name]}, "figures": {"by_k": [name]}})
    assert kept(alone, "feremans2017", "table2") == {"Medical"}
    assert {dataset for dataset, _ in alone.figure_cells("feremans2017", "by_k")} == {"medical"}


def test_a_name_in_a_table_is_no_other_name_of_another():
    """brinker2007's ALL are the counts of alpha, which it has, too."""
    assert kept(filtered(brinker2007={"datasets": ["ALL"]}), "brinker2007", "table1") == {"ALL"}
    assert kept(filtered(brinker2007={"datasets": ["alpha"]}), "brinker2007", "table1") == {"alpha"}


def test_a_filter_has_at_most_as_many_splits_repeats_and_folds(plan):
    more = filtered(chiang2012={"splits": 1000})
    assert more.cells == plan.cells
    some = filtered(chiang2012={"splits": {"yeast": 3}})
    parts = {cell.dataset: cell.protocol.shortened for cell in some.paper_cells("chiang2012") if cell.method == "rakel"}
    assert parts == {"yeast": "3 of 50 splits"} | dict.fromkeys(parts.keys() - {"yeast"}, "")
    variants = {target.cell.protocol.id for target in some.variants["chiang2012"] if target.dataset == "yeast"}
    assert variants == {"cv-5x10-first-3", "cv-50x10-first-3"}
    trees = filtered(cheng2009={"splits": 4}).paper_cells("cheng2009")
    assert {cell.protocol.id for cell in trees if cell.method == "c45"} == {"cv-5x10-first-4"}
    fewer = filtered(multilabel={"folds": 2, "datasets": ["scene", "corel5k"], "methods": ["BR-kNN", "RAkEL"]})
    entries = fewer.entries("multilabel")
    assert [(entry.method, entry.cell.path) for entry in entries] == [
        ("BR-kNN", "cv-1x2/scene/brknn@min-max"),
        ("BR-kNN", "public-split/corel5k/brknn@min-max"),
        ("RAkEL", "cv-1x2/scene/rakel@nominal-to-binary"),
        ("RAkEL", "public-split/corel5k/rakel@nominal-to-binary"),
    ]
    assert {name for one in fewer.comparisons["multilabel"]["orderings"] for name in one["than"]} <= {"BR-kNN", "RAkEL"}


def test_settings_choose_data_sets_and_recipes(plan):
    made = Plan(CONFIG | {"settings": {"cheng2009": {"rankings": "generated", "naive_bayes": "gaussian"}}}, ROOT)
    assert {cell.dataset.rpartition("-")[2] for cell in made.paper_cells("cheng2009")} == {"generated"}
    assert made.recipe("iris-generated")["options"]["estimator"] == "gaussian"
    assert made.papers["cheng2009"]["figures"]["iris_tree"]["datasets"] == ["iris-generated"]
    assert made.figure_cells("cheng2009", "learning_curve")["housing", "cc"].dataset == "housing-generated"
    both = made.papers["cheng2009"]["figures"]["generated_rankings"]["datasets"]
    assert both == plan.papers["cheng2009"]["figures"]["generated_rankings"]["datasets"]


def test_the_settings_of_papers_that_are_not_run_hold_as_well():
    plan = Plan(CONFIG | {"papers": [], "settings": {"cheng2009": {"naive_bayes": "gaussian"}}}, ROOT)
    assert plan.recipe("iris-generated")["options"]["estimator"] == "gaussian"
    assert plan.recipe("alpha")["options"]["zero_level"] == "gene-mean"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sed": 3}, r"config: unknown key 'sed'. Did you mean 'seed'\? Known: .*papers.*seed"),
        ({"seed": "three"}, "config, seed: 'three' is not of type 'integer'"),
        ({"papers": ["zhang2006"]}, r"unknown paper 'zhang2006'. Did you mean 'zhang2005'\?"),
        ({"comparisons": ["evry-method"]}, "unknown comparison 'evry-method'. Did you mean 'every-method'"),
        ({"methods": {"mine": {"title": "x"}}}, "methods, mine: 'class' is a required property"),
        ({"methods": {"mine": {"title": "x", "class": "here"}}}, "methods, mine, class"),
        ({"datasets": {"yeast": {"tsk": "multilabel"}}}, "datasets, yeast: unknown key 'tsk'"),
        ({"settings": {"cheng": {}}}, "settings: unknown paper 'cheng'. Did you mean 'cheng2009'"),
        ({"settings": {"cheng2009": {"ranking": "x"}}}, "unknown setting 'ranking'. Did you mean 'rankings'"),
        ({"settings": {"cheng2009": {"rankings": "made"}}}, "unknown choice 'made'.* Known: generated, published"),
        (
            {"only": {"chiang": {}}},
            "config, only: unknown paper, comparison or key 'chiang'. Did you mean 'chiang2012'",
        ),
        ({"only": {"every-methods": {}}}, "unknown .* key 'every-methods'. Did you mean 'every-method'"),
        ({"only": {"dataset": ["emotions"]}}, "unknown .* key 'dataset'. Did you mean 'datasets'"),
        ({"only": {"papers": ["chiang"]}}, "config, only, papers: unknown paper 'chiang'. Did you mean 'chiang2012'"),
        ({"only": {"papers": "chiang2012"}}, "config, only, papers: 'chiang2012' is not of type 'array'"),
        ({"only": {"tables": ["tabel3"]}}, "config, only, tables: unknown table 'tabel3'. Did you mean 'table3'"),
        ({"only": {"figures": ["gaps"]}}, "config, only, figures: unknown figure 'gaps'. Did you mean 'gap'"),
        ({"only": {"datasets": ["emotoins"]}}, "only, datasets: unknown data set 'emotoins'. Did you mean 'emotions'"),
        (
            {"only": {"papers": ["chiang2012"], "tables": ["table3"], "datasets": ["iris"]}},
            "only, datasets: unknown data set 'iris'.* Known: AVG, audio, emotions, genbase, medical, scene, yeast",
        ),
        ({"compare": {"tables": {}}}, "compare: 'tables' is the name of something else"),
        ({"only": {"chiang2012": {"table": []}}}, "only, chiang2012: unknown key 'table'. Did you mean 'tables'"),
        (
            {"only": {"chiang2012": {"tables": ["table9"]}}},
            "tables: unknown table 'table9'.* Known: table1",
        ),
        (
            {"only": {"chiang2012": {"tables": {"table2": ["yeats"]}}}},
            "only, chiang2012, tables, table2: unknown data set 'yeats'. Did you mean 'yeast'",
        ),
        ({"only": {"chiang2012": {"datasets": ["yeats"]}}}, "datasets: unknown data set 'yeats'. Did you mean 'yeast'"),
        ({"only": {"zhang2005": {"figures": ["round"]}}}, "figures: unknown figure 'round'. Did you mean 'rounds'"),
        ({"only": {"brinker2007": {"figures": {"gap": ["iris"]}}}}, "figures, gap: unknown data set 'iris'"),
        ({"only": {"every-method": {"methods": ["ML-knn"]}}}, "unknown method 'ML-knn'. Did you mean 'ML-kNN'"),
        ({"only": {"every-method": {"datasets": ["yeast"]}}}, "unknown data set 'yeast'.* Known: synthetic-multilabel"),
        ({"only": {"zhang2005": {"splits": 2}}}, r"only, zhang2005: no protocol there has splits \(public-split\)"),
        ({"only": {"brinker2007": {"splits": 1}}}, "only, brinker2007, splits: 1 is"),
        ({"only": {"brinker2007": {"splits": {"haet": 2}}}}, "splits: unknown data set 'haet'. Did you mean 'heat'"),
        ({"only": {"chiang2012": {"methods": {"table1": ["oracle"]}}}}, "methods, table1: unknown method 'oracle'"),
        ({"only": {"chiang2012": {"methods": {"table6": []}}}}, "methods: unknown table 'table6'"),
    ],
)
def test_what_is_unknown_is_refused_and_the_known_names_are_given(change, message):
    with pytest.raises(ConfigError, match=message):
        Plan(merge(CONFIG, change), ROOT)


def of_runs(**run):
    return of_table_1([{"name": "mlknn", "method": "mlknn", **run}])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (of_runs(method="mlkn"), "zhang2005.yaml, table1, runs: unknown method 'mlkn'. Did you mean 'mlknn'"),
        (of_runs(name="ml-knn"), "table1, runs: unknown name of a method 'ml-knn'.*Known: mlknn"),
        (of_runs(datasets=["yeats"]), "table1, runs: unknown data set 'yeats'"),
        (of_runs(rol="variant"), "zhang2005.yaml, tables, table1, runs, 0: unknown key 'rol'. Did you mean 'role'"),
        (of_runs(role="varant"), "unknown value 'varant'. Did you mean 'variant'"),
        (of_runs(role="reference"), "zhang2005.yaml, tables, table1, runs, 0"),
        (of_table_1([{"method": "mlknn"}]), "'name' is a required property"),
        ({"tables": {"table1": {"rns": []}}}, "zhang2005.yaml, tables, table1: unknown key 'rns'. Did you mean 'runs'"),
        (
            {"tables": {"table9": {"title": "", "caption": "", "layout": {"rows": [], "columns": []}}}},
            "unknown table 'table9'",
        ),
        ({"datasets": {"yeast": "yeas"}}, "zhang2005.yaml, datasets: unknown data set 'yeas'. Did you mean 'yeast'"),
        (
            {"protocol": {"kind": "public-splitt"}},
            "unknown value 'public-splitt'.*Known: cross-validation, hold-out, public-split",
        ),
    ],
)
def test_what_is_unknown_in_a_papers_file_is_refused(tmp_path, change, message):
    with pytest.raises(ConfigError, match=message):
        edited(tmp_path, change)


def test_comparisons_try_every_method_on_every_data_set(plan):
    for key in ("multilabel", "ranking"):
        comparison, entries = plan.comparisons[key], plan.entries(key)
        places = {(entry.method, entry.cell.dataset) for entry in entries}
        assert len(places) == len(comparison["methods"]) * len(comparison["datasets"])
        assert all(plan.datasets[entry.cell.dataset]["task"] == key for entry in entries)
        assert {entry.cell.protocol.id for entry in entries} <= set(plan.protocols)
        assert {entry.cell.limits for entry in entries} == {Limits(comparison["time_limit"], 4)}


def test_every_estimator_of_the_library_is_compared(plan):
    """By its class, or by that of a parameter."""
    found = set()
    for key in ("multilabel", "ranking"):
        for entry in plan.entries(key):
            method = plan.methods[entry.cell.method]
            inside = [value for value in method.get("params", {}).values() if isinstance(value, dict)]
            found |= {one["class"].rpartition(":")[2] for one in (method, *inside) if "class" in one}
    assert set(ALL) <= found


def test_the_size_of_a_data_set_chooses_its_protocol(plan):
    protocols = {entry.cell.dataset: entry.cell.protocol.id for entry in plan.entries("multilabel")}
    rows = {name: plan.datasets[name]["expect"]["instances"] for name in protocols}
    for name, protocol in protocols.items():
        public = "train_instances" in plan.datasets[name]["expect"]
        assert protocol == ("cv-1x10" if rows[name] <= 3000 else "public-split" if public else "hold-out-1x66.7")
    assert {"cv-1x10", "public-split", "hold-out-1x66.7"} <= set(protocols.values()) <= set(plan.protocols)
    with pytest.raises(ConfigError, match="protocol: none is for 'delicious' of 16105 rows"):
        protocol_for({"protocol": [{"up_to": 9, "use": {"kind": "public-split"}}]}, "delicious", plan.datasets, "ours")


def test_what_all_methods_see_can_be_set(plan):
    scaled = {"compare": {"ours": {"like": "multilabel", "datasets": ["birds"], "preprocessing": "min-max"}}}
    made = Plan(CONFIG | scaled, ROOT)
    assert {made.methods[one.cell.method]["preprocessing"] for one in made.entries("ours")} == {"min-max"}
    seen = {one.method: plan.methods[one.cell.method]["preprocessing"] for one in plan.entries("multilabel")}
    assert (seen["ML-kNN"], seen["BR-kNN"], seen["LCIF (chosen k)"]) == ("nominal-to-binary", "min-max", "zero-to-one")
    ranked = {plan.methods[one.cell.method]["preprocessing"] for one in plan.entries("ranking")}
    assert ranked == {"nominal-to-binary", "binary-unit-rows"}, "nominal features are binary columns for all"
    assert not any("neighbors" in plan.methods[one.cell.method] for one in plan.entries("multilabel"))


def test_a_method_that_is_tried_may_fail_at_one_rate_of_missing_labels(plan):
    cells = {entry.condition: entry.cell for entry in plan.entries("ranking") if entry.method == "LRT"}
    assert {rate: cell.protocol.missing for rate, cell in cells.items()} == {
        "missing=0.0": (0.0,),
        "missing=0.3": (0.3,),
    }
    assert len({cell.protocol.complete for cell in cells.values()}) == 1, "on the same splits"


def test_each_rate_of_missing_labels_is_an_entry(plan):
    entries = [(entry.method, entry.setting, entry.condition) for entry in plan.entries("cc-forms")]
    assert ("CC", "missing=0.3", "missing=0.3") in entries
    assert len(entries) == 4 * 2 * 3


def test_a_class_by_its_dotted_path():
    methods = {
        "dotted": {
            "title": "Dotted",
            "class": "labelknn.multilabel.OneThreshold",
            "params": {"estimator": {"class": "sklearn.neighbors.KNeighborsClassifier"}},
        }
    }
    made = Plan(CONFIG | {"methods": methods}, ROOT).methods["dotted"]
    assert made["class"] == "labelknn.multilabel:OneThreshold"
    assert made["params"]["estimator"]["class"] == "sklearn.neighbors:KNeighborsClassifier"


def test_every_cell_has_an_owner(plan):
    owned = plan.cells_by_owner
    assert set(owned) == {*plan.papers, *CONFIG["comparisons"]}
    assert set().union(*owned.values()) == set(plan.cells)
    assert len(plan.cells) == len(set(plan.cells))
    assert len(plan.cells) == 790


def test_a_broken_file_is_named_with_its_line(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("figures: mine\npapers: [cheng2009\nstrict: true\n")
    with pytest.raises(ConfigError, match=r"mine\.yaml, line 3: not valid YAML \("):
        read_yaml(path)
    with pytest.raises(SystemExit, match=r"labelknn: .*mine\.yaml, line 3"):
        main([str(path)])
    path.write_text("figures: mine\n")
    main([str(path)])
