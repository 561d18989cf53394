"""How a number is made, in words; where it is on the page, and what it is called."""

import pytest

from labelknn_papers.plan.plan import Plan
from labelknn_papers.plan.protocol import Protocol
from labelknn_papers.show.anchors import anchors_of
from labelknn_papers.show.measured import read_ratios, without_measured
from labelknn_papers.show.names import citation, in_words, names_of, used_names
from labelknn_papers.show.origins import Run, call, origin, protocol_in_words
from labelknn_papers.show.reports import Names

from ..checkout import CONFIG
from ..conftest import ROOT


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan(CONFIG, ROOT)


def target_of(plan, paper, *place):
    """The target of a printed number by table, data set, method, metric and setting."""
    return next(
        target
        for target in plan.targets[paper]
        if (number := target.published)
        and (number.table, number.dataset, number.method, number.metric, number.setting) == place
    )


def test_a_score_says_split_method_data_command_and_where_its_scores_are(plan):
    target = target_of(plan, "cheng2009", "table2", "wine", "iblr", "kendall_tau", "missing=0.6")
    found = origin(plan, "cheng2009", target, Run(" --configfile mine.yaml"), known=True)
    assert found.protocol.startswith("5 repetitions of cross-validation with 10 folds; 0 %, 30 %, 60 % of the training")
    assert found.method == (
        "IBLR, k validated on complete rankings (id iblr-complete-k)\n"
        "labelknn_papers.run.iblr_validation.CompleteValidation()"
    )
    (source, *_) = plan.datasets["wine"]["sources"]
    for name, file in source["files"].items():
        assert f"{name}  SHA-256 {file['sha256']}" in found.data.splitlines()
    cell = "cv-5x10-missing-0-30-60/wine"
    assert found.command == (
        f"rm -rf data/cells/{cell}/iblr-complete-k && "
        f"snakemake --cores 1 data/results/figures/{cell}/only-iblr-complete-k.csv --configfile mine.yaml"
    )
    assert (
        found.scores == f"data/cells/{cell}/iblr-complete-k/*/scores-*.csv\nits lines with kendall_tau and missing=0.6"
    )


def test_facts_and_numbers_that_follow_from_others_have_other_commands(plan):
    fact = target_of(plan, "cheng2009", "table1", "iris", "", "labels", "type=A")
    assert origin(plan, "cheng2009", fact, Run(), True).command == "snakemake --cores 1 --force data/prepared/iris.json"
    rank = target_of(plan, "cheng2009", "table2", "AVG", "cc", "average_rank", "missing=0.0")
    assert origin(plan, "cheng2009", rank, Run(), True).command.endswith("--force figures/cheng2009/comparison.csv")
    assert origin(plan, "cheng2009", rank, Run(), False).command == "", "there is none for what cannot be made"
    time = target_of(plan, "brinker2007", "table1", "alpha", "knn", "test_seconds", "k=100")
    assert origin(plan, "brinker2007", time, Run(), True).scores.endswith("times.csv")


def test_the_source_is_the_one_that_was_used(plan):
    target = target_of(plan, "zhang2005", "table1", "yeast", "mlknn", "hamming_loss", "k=6")
    assert "yeast.csv.gz" in origin(plan, "zhang2005", target, Run(sources={"yeast": 1}), True).data
    assert "yeast-train.arff" in origin(plan, "zhang2005", target, Run(), True).data
    assert "at several values of k, here k=6" in origin(plan, "zhang2005", target, Run(), True).method


@pytest.mark.parametrize(
    ("protocol", "words"),
    [
        (Protocol("public-split"), "the training and test rows that the data set is published with"),
        (Protocol("hold-out", 10, train=0.7), "10 random splits of 70 % of the rows to learn from"),
        (Protocol("hold-out", 1, train=0.7), "one random split of 70 % of the rows to learn from"),
        (Protocol("cross-validation", 1, 10, first=5), "cross-validation with 10 folds; 5 of 10 splits"),
    ],
)
def test_protocols_in_words(protocol, words):
    assert protocol_in_words(protocol) == words


def test_a_method_is_written_as_python_has_it():
    inner = {"class": "a.b:Inner", "params": {"k": 3}}
    assert call({"class": "a:Outer", "params": {"estimator": inner, "how": "max"}}) == (
        "a.Outer(estimator=a.b.Inner(k=3), how='max')"
    )


def rows_of(*places):
    return [dict(zip(("dataset", "method", "metric", "setting"), place, strict=True)) for place in places]


def test_the_address_of_a_number_is_made_of_what_it_is():
    rows = rows_of(
        ("wine", "iblr", "kendall_tau", "missing=0.6"),
        ("wine", "lrt", "kendall_tau", "missing=0.6"),
        ("wine", "lrt", "relative_tree_size", "missing=0.6"),
        ("wine", "rk+gps", "kendall_tau", "k=10;weighted"),
        ("Wiki-10", "", "labels", "type=A"),
        ("wine", "iblr", "kendall_tau", "missing=0.6"),
    )
    assert anchors_of("t", rows) == [
        "t-wine-iblr-60",
        "t-wine-lrt-60",
        "t-wine-lrt-relative-tree-size-60",
        "t-wine-rk-gps-10-weighted",
        "t-wiki-10-labels-a",
        "t-wine-iblr-60-2",
    ]


def test_each_number_of_the_papers_has_an_address_of_its_own(plan):
    for paper, targets in plan.targets.items():
        for table in plan.papers[paper]["tables"]:
            inside = [target.published for target in targets if target.published.table == table]
            found = anchors_of(table, [vars(number) for number in inside])
            assert not [anchor for anchor in found if anchor.endswith("-2") and anchor[:-2] in found], (paper, table)


def test_papers_call_things_by_names_and_not_by_ids(plan):
    """What has an underscore or an equals sign, or is written in small letters with hyphens, is an id."""
    for paper, targets in plan.targets.items():
        used = used_names(names_of(plan, paper), [vars(target.published) for target in targets])
        assert not [
            name for names in used.values() for name in names.values() if "_" in name or "=" in name.replace(" = ", "")
        ]
        for field in ("dataset", "method"):
            assert not [key for key, name in used[field].items() if key == name and "-" in key and key.islower()], paper
            assert len(set(used[field].values())) == len(used[field]), "two things have two names"
    names = names_of(plan, "cheng2009")
    assert names.setting["missing=0.3"] == "30 % missing"
    assert names_of(plan, "brinker2007").method["knn-star"] == "k-NN*"


def test_sentences_are_told_in_names():
    names = used_names(
        Names(method={"knn": "k-NN", "knn-star": "k-NN*"}), rows_of(("", "knn", "", ""), ("", "knn-star", "", ""))
    )
    assert in_words("knn-star better than knn (knn-star-r)", names) == "k-NN* better than k-NN (knn-star-r)"
    assert in_words("nothing", {}) == "nothing"


def test_papers_are_cited_in_few_words():
    assert citation("Klaus Brinker and Eyke Hüllermeier", 2007) == "Brinker & Hüllermeier 2007"
    assert citation("Weiwei Cheng, Jens Hühn and Eyke Hüllermeier", 2009) == "Cheng et al. 2009"
    assert citation("Ann Author", 2000) == "Author 2000"


def test_run_times_are_ratios_of_three_digits(tmp_path):
    path = tmp_path / "times.csv"
    path.write_text(
        "table,dataset,method,metric,setting,published,ours,ratio,our_ratio,verdict\n"
        "table1,alpha,knn,test_seconds,k=100,1.77,0.00572,0.047,1.2e+03,close\n"
    )
    (ratio,) = read_ratios(path).values()
    assert (ratio.published, ratio.measured, ratio.seconds) == ("0.0470", "1,200", "0.00572")


def test_what_is_measured_is_left_out_of_a_comparison_of_pages():
    page = '<td>7 <span class="n ours measured" data-seconds="{}">{}</span></td><p class="measured-not">8</p>'
    assert without_measured(page.format("0.1", "0.25")) == without_measured(page.format("0.3", "1,200"))
    assert "8" in without_measured(page.format("0.1", "0.25"))
