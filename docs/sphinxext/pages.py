"""Pages that are written when the site is built, and the reproduction's page beside them.

The reference lists what the library itself says that it has; the results are those of figures/.
"""

import shutil
from pathlib import Path

import results

ROOT = Path(__file__).resolve().parents[2]

TASKS = {
    "multilabel": (
        "Label sets",
        """\
``Y`` is an (n, q) indicator matrix, dense or sparse, or a DataFrame with the labels' names. ``predict`` gives 0 and 1
in the container that ``fit`` got. ``score`` is the share of exact label sets. A label that no training row has is never
learnt: ``fit`` warns, and says which.""",
    ),
    "ranking": (
        "Rankings",
        """\
``Y`` is an (n, q) matrix of ranks: 1 is best, and 0 or NaN a label that is missing. The methods of
:doc:`brinker2007 </results/brinker2007>` read its last column as the split point. ``predict`` ranks every label.
``score`` is the mean of Kendall's tau.""",
    ),
}
ESTIMATORS = """\
Each is a scikit-learn estimator (``fit``, ``predict``, ``score``, ``get_params``, ``clone``). ``X`` is an (n, d) matrix
of numbers, dense or sparse, or a DataFrame, whose columns must then come in the same order in every call
(``feature_names_in_``). The names of labels are kept in ``label_names_``."""
METRICS = """\
Each is a function of (truth, prediction). :func:`labelknn.metrics.scorer` makes of its name a ``scoring`` for
scikit-learn, in which a loss is negated. ``labelknn.metrics.METRICS`` has all of them by name."""


def setup(app):
    app.connect("config-inited", write)
    app.connect("build-finished", copy_reproduction)
    return {"parallel_read_safe": True}


def write(app, config):
    """Before Sphinx looks which pages there are."""
    docs = Path(app.srcdir)
    found = {docs / "results" / f"{name}.md": text for name, text in results.pages(ROOT).items()}
    found |= {docs / "api" / f"{name}.rst": text for name, text in reference().items()}
    for path, text in found.items():
        path.parent.mkdir(exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:  # what has not changed is not read again
            path.write_text(text, "utf-8")


def copy_reproduction(app, error):
    if not error and app.builder.name == "html":
        target = Path(app.outdir) / "reproduction"
        shutil.copytree(ROOT / "figures", target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("*.pdf", "*.tex"))


def reference() -> dict[str, str]:
    """The pages of the reference."""
    import labelknn.datasets
    import labelknn.metrics
    import labelknn.preprocessing
    from labelknn.utils import all_estimators

    estimators = [
        part
        for task, (title, text) in TASKS.items()
        for part in (_heading(title, "-"), text, _summary("labelknn", [name for name, _ in all_estimators(task)]))
    ]
    metrics = labelknn.metrics.METRICS
    of_task = {task: [name for name, metric in metrics.items() if metric.task == task] for task in TASKS}
    tools = [name for name in labelknn.metrics.__all__ if name not in metrics and name != "METRICS"]
    pages = {
        "estimators": [
            _heading("Estimators", "="),
            ESTIMATORS,
            *estimators,
        ],
        "metrics": [
            _heading("Measures", "="),
            METRICS,
            _heading("Of label sets and scores", "-"),
            _summary("labelknn.metrics", of_task["multilabel"]),
            _heading("Of rankings", "-"),
            _summary("labelknn.metrics", of_task["ranking"]),
            _heading("Tools", "-"),
            _summary("labelknn.metrics", tools),
        ],
        "datasets": [
            _heading("Data sets", "="),
            "Public data sets by name, and readers for your own files (:doc:`/guide/data`).",
            _summary("labelknn.datasets", labelknn.datasets.__all__),
            _heading("The data sets", "-"),
            _data_sets(labelknn.datasets.available()),
        ],
        "others": [
            _heading("Preprocessing, plots, errors", "="),
            _heading("Preprocessing", "-"),
            "What the papers' methods see of the features, as transformers for pipelines.",
            _summary("labelknn.preprocessing", labelknn.preprocessing.__all__),
            _heading("Plots and text", "-"),
            "The estimators' own ``plot`` and ``export_text`` call these.",
            _summary(
                "labelknn.plotting",
                ["alternating_tree_text", "plot_alternating_tree", "plot_ranking_tree", "ranking_tree_text"],
            ),
            _heading("Discovery", "-"),
            _summary("labelknn.utils", ["all_estimators"]),
            _heading("Errors", "-"),
            "What a user can cause; each says in one sentence what to do.",
            _summary("labelknn.errors", ["LabelknnError", "ConfigError", "DataError", "SourceUnreachable"]),
        ],
    }
    index = [
        _heading("API reference", "="),
        "Everything here is for ``import``; nothing with a leading underscore is.",
        "\n".join([".. toctree::", "   :maxdepth: 2", "", *(f"   {name}" for name in pages)]),
    ]
    return {name: "\n\n".join(parts) + "\n" for name, parts in {"index": index, **pages}.items()}


def _heading(text: str, line: str) -> str:
    return f"{text}\n{line * len(text)}"


def _summary(module: str, names: list[str]) -> str:
    return "\n".join(
        [
            f".. currentmodule:: {module}",
            "",
            ".. autosummary::",
            "   :toctree: generated",
            "   :nosignatures:",
            "",
            *(f"   {name}" for name in names),
        ]
    )


def _data_sets(found) -> str:
    rows = [("name", "what", "rows", "features", "labels", "sparse", "public split")]
    for name, one in found.items():
        sizes = ("" if size is None else f"{size:,}" for size in (one.rows, one.features, one.labels))
        rows.append((f"``{name}``", one.title, *sizes, "yes" if one.sparse else "", "yes" if one.split else ""))
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in rows:
        lines += [f"   {'*' if number == 0 else ' '} - {cell}" for number, cell in enumerate(row)]
    return "\n".join(lines)
