"""Trees as text and pictures; only pictures need matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from labelknn.errors import DataError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from labelknn.multilabel._adtboost import AlternatingTree
    from labelknn.solvers._rank_tree import Tree as RankingTree


def ranking_tree_text(
    tree: RankingTree, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
) -> str:
    """The tree as indented text: a line for each branch, which ends in a ranking where the branch ends in a leaf.

    Behind the ranking stand the number of training examples in the leaf and its smoothed θ.
    """
    features, labels = _names(feature_names, label_names, int(tree.feature.max()) + 1, tree.ranks.shape[1])
    if tree.feature[0] < 0:
        return _leaf_text(tree, 0, labels) + "\n"
    lines = []
    waiting = [(tree.right[0], 0), (tree.left[0], 0)]
    while waiting:
        node, depth = waiting.pop()
        parent = tree.parent[node]
        sign = "<=" if node == tree.left[parent] else ">"
        line = "|   " * depth + f"{features[tree.feature[parent]]} {sign} {tree.threshold[parent]:.6g}"
        if tree.feature[node] < 0:
            line += ": " + _leaf_text(tree, node, labels)
        else:
            waiting += [(tree.right[node], depth + 1), (tree.left[node], depth + 1)]
        lines.append(line)
    return "\n".join(lines) + "\n"


def plot_ranking_tree(
    tree: RankingTree,
    feature_names: Sequence[str] | None = None,
    label_names: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """A drawing of a small tree: the left branch of a test is where it holds."""
    features, labels = _names(feature_names, label_names, int(tree.feature.max()) + 1, tree.ranks.shape[1])
    x, depth = _places(tree)
    if ax is None:
        ax = _new_figure(1 + 1.5 * len(tree.leaves), 1 + 0.9 * (depth.max() + 1)).add_subplot()
    ax.set_axis_off()
    for node in range(1, len(x)):
        parent = tree.parent[node]
        ax.plot([x[parent], x[node]], [-depth[parent], -depth[node]], color="0.6", linewidth=1, zorder=1)
    for node, leaf in enumerate(tree.feature < 0):
        if leaf:
            text = _leaf_text(tree, node, labels).replace("  ", "\n")
        else:
            text = f"{features[tree.feature[node]]} ≤ {tree.threshold[node]:.3g}"
        box = {
            "boxstyle": "round" if leaf else "square",
            "facecolor": "#e8f0e4" if leaf else "white",
            "edgecolor": "0.4",
        }
        ax.text(x[node], -depth[node], text, ha="center", va="center", fontsize=8, bbox=box, zorder=2)
    ax.set_xlim(-0.6, len(tree.leaves) - 0.4)
    ax.set_ylim(-depth.max() - 0.5, 0.5)
    return ax


def alternating_tree_text(
    tree: AlternatingTree, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
) -> str:
    """The tree as indented text: a line for each node with its votes. Rules are numbered as they were added."""
    features, labels = _names(feature_names, label_names, int(tree.features.max(initial=-1)) + 1, tree.votes.shape[1])
    lines = []
    for node, depth in tree.in_reading_order():
        votes = ", ".join(f"{label} {vote:.2f}" for label, vote in zip(labels, tree.votes[node] + 0.0, strict=True))
        lines.append("|   " * depth + f"{tree.question(node, features)}: {votes}")
    return "\n".join(lines) + "\n"


def plot_alternating_tree(
    tree: AlternatingTree, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
) -> Figure:
    """The same as a picture: the tree on the left, its votes as colours on the right."""
    features, labels = _names(feature_names, label_names, int(tree.features.max(initial=-1)) + 1, tree.votes.shape[1])
    lines = tree.in_reading_order()
    deepest = max(depth for _, depth in lines)
    figure = _new_figure(3.2 + 0.3 * deepest + 0.28 * len(labels), 1.2 + 0.17 * len(lines))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(2.4 + 0.3 * deepest, 0.28 * len(labels)))
    place_of = {node: place for place, (node, _) in enumerate(lines)}
    for place, (node, depth) in enumerate(lines):
        left.text(depth, place, tree.question(node, features).replace("<=", "≤"), va="center", fontsize=7)
        if node:
            above = place_of[tree.preconditions[(node - 1) // 2]]
            corner = depth - 0.7
            left.plot([corner, corner, depth - 0.15], [above + 0.4, place, place], color="0.6", linewidth=0.7)
    left.set_xlim(-0.2, deepest + 5)
    left.set_axis_off()
    votes = tree.votes[[node for node, _ in lines]]
    # The root's votes, prior log odds, are larger than those of the rules; these decide how strong the colours are.
    strongest = np.abs(votes[1:]).max(initial=0.0) or np.abs(votes).max() or 1.0
    image = right.imshow(votes, cmap="PuOr_r", vmin=-strongest, vmax=strongest, aspect="auto", interpolation="none")
    right.set_xticks(range(len(labels)), labels, rotation=90, fontsize=7)
    right.xaxis.tick_top()
    right.tick_params(left=False, labelleft=False)
    figure.colorbar(image, ax=right, extend="both", shrink=0.4, label="vote")
    return figure


def _places(tree: RankingTree) -> tuple[np.ndarray, np.ndarray]:
    """Where to draw the nodes: leaves side by side from left to right, a parent in the middle above its children."""
    x = np.zeros(len(tree.feature))
    leaves, waiting = 0, [0]
    while waiting:
        node = waiting.pop()
        if tree.feature[node] < 0:
            x[node] = leaves
            leaves += 1
        else:
            waiting += [tree.right[node], tree.left[node]]
    for node in reversed(range(len(x))):
        if tree.feature[node] >= 0:
            x[node] = (x[tree.left[node]] + x[tree.right[node]]) / 2
    return x, tree.depths()


def _leaf_text(tree: RankingTree, node: int, labels: Sequence[str]) -> str:
    ranking = " > ".join(labels[label] for label in np.argsort(tree.ranks[node]))
    return f"{ranking}  (n = {tree.size[node]}, θ = {tree.spread[node]:.2f})"


def _names(
    feature_names: Sequence[str] | None, label_names: Sequence[str] | None, used: int, q: int
) -> tuple[Sequence[str], Sequence[str]]:
    """The names given, or x1, x2, ... and y1, y2, ..., for a tree that uses so many of the features and q labels."""
    features = feature_names if feature_names is not None else [f"x{i + 1}" for i in range(used)]
    labels = label_names if label_names is not None else [f"y{i + 1}" for i in range(q)]
    if len(features) < used or len(labels) != q:
        raise DataError(f"{len(features)} feature and {len(labels)} label names for a tree with {used} and {q} of them")
    return features, labels


def _new_figure(width: float, height: float) -> Figure:
    """A figure of pyplot's, so that a notebook shows it by itself."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("pictures need matplotlib, which is not installed: pip install matplotlib") from error
    return plt.figure(figsize=(width, height), layout="constrained")
