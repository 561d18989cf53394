"""Trees as text and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from labelknn.errors import DataError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from labelknn.multilabel._adtboost import AlternatingTree


def alternating_tree_text(
    tree: AlternatingTree, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
) -> str:
    """The tree as indented text: a line for each node with its votes. Rules are numbered as they were added."""
    features, labels = _names(tree, feature_names, label_names)
    lines = []
    for node, depth in tree.in_reading_order():
        votes = ", ".join(f"{label} {vote:.2f}" for label, vote in zip(labels, tree.votes[node] + 0.0, strict=True))
        lines.append("|   " * depth + f"{tree.question(node, features)}: {votes}")
    return "\n".join(lines) + "\n"


def plot_alternating_tree(
    tree: AlternatingTree, feature_names: Sequence[str] | None = None, label_names: Sequence[str] | None = None
) -> Figure:
    """The same as a picture: the tree on the left, its votes as colours on the right."""
    from matplotlib.figure import Figure

    features, labels = _names(tree, feature_names, label_names)
    lines = tree.in_reading_order()
    deepest = max(depth for _, depth in lines)
    figure = Figure(figsize=(3.2 + 0.3 * deepest + 0.28 * len(labels), 1.2 + 0.17 * len(lines)), layout="constrained")
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


def _names(
    tree: AlternatingTree, feature_names: Sequence[str] | None, label_names: Sequence[str] | None
) -> tuple[Sequence[str], Sequence[str]]:
    """The names given, or x1, x2, ... and y1, y2, ..."""
    used, q = int(tree.features.max(initial=-1)) + 1, tree.votes.shape[1]
    features = feature_names if feature_names is not None else [f"x{i + 1}" for i in range(used)]
    labels = label_names if label_names is not None else [f"y{i + 1}" for i in range(q)]
    if len(features) < used or len(labels) != q:
        raise DataError(f"{len(features)} feature and {len(labels)} label names for a tree with {used} and {q} of them")
    return features, labels
