"""zhang2005's figures: what the number of rounds or iterations does to scores, an alternating decision tree, and tests
over the test rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from matplotlib.figure import Figure

from labelknn.datasets._container import TRAIN, Dataset
from labelknn.metrics import METRICS
from labelknn.multilabel import ADTBoostMH
from labelknn_papers.judge.estimates import CellEstimates
from labelknn_papers.judge.row_tests import MEASURES, p_of_better, row_losses
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.predictions import Predictions
from labelknn_papers.show.figures import COLOURS, Drawing, empty_figure, new_figure

# The settings of ML-kNN in table I, and of BoosTexter in table II.
KS = ("k=6", "k=7", "k=8", "k=9")
ROUNDS = "rounds=1000"


def rounds(scores: CellEstimates, published: Sequence[Published]) -> Drawing:
    return Drawing(draw_curves(curves_of(scores), _printed(published, "boostexter"), "rounds of boosting"))


def iterations(scores: CellEstimates, published: Sequence[Published]) -> Drawing:
    return Drawing(
        draw_curves(curves_of(scores), _printed(published, "rank-svm"), "iterations of Frank and Wolfe's method")
    )


def _printed(published: Sequence[Published], method: str) -> dict[str, float | None]:
    return {number.metric: number.value for number in published if number.method == method}


def curves_of(scores: CellEstimates) -> dict[str, dict[int, float]]:
    """By measure and number, from a method whose settings are "rounds=1", "rounds=2" ..."""
    curves: dict[str, dict[int, float]] = {}
    for estimates in scores.values():
        for (setting, metric), estimate in estimates.items():
            if metric in MEASURES:
                curves.setdefault(metric, {})[int(setting.partition("=")[2])] = estimate.mean
    return curves


def draw_curves(curves: Mapping[str, Mapping[int, float]], printed: Mapping[str, float | None], steps: str) -> Figure:
    """A panel for each measure: ours over the steps, and the paper's number as a line where it prints one."""
    if not curves:
        return empty_figure()
    with new_figure(9, 2.4, ncols=len(MEASURES)) as (figure, panels):
        for metric, axes in zip(MEASURES, panels, strict=True):
            numbers = sorted(curves[metric])
            values = [curves[metric][number] for number in numbers]
            powers = [10**exponent for exponent in range(len(str(numbers[-1])))]
            axes.plot(numbers, values, marker="o", markersize=3, linewidth=1.2, color=COLOURS[0], label="ours")
            if (value := printed.get(metric)) is not None:
                axes.axhline(value, color=COLOURS[5], linestyle="--", linewidth=1, label="as printed")
            axes.set_xscale("log")
            axes.set_xticks(powers, labels=[str(power) for power in powers], fontsize=8)
            axes.minorticks_off()
            axes.set_title(f"{METRICS[metric].label} {'↓' if METRICS[metric].lower_is_better else '↑'}", fontsize=9)
        figure.supxlabel(steps, fontsize=9)
        handles = {
            label: handle for axes in panels for handle, label in zip(*axes.get_legend_handles_labels(), strict=True)
        }
        figure.legend(handles.values(), handles, loc="outside upper center", ncols=len(handles))
        return figure


def row_tests(
    data: Mapping[str, Dataset],
    splits: Mapping[str, Sequence[Split]],
    predictions: Mapping[tuple[str, str], Predictions],
) -> Drawing:
    """One-sided p-values of the claims of section IV: each method against others, and each k against k = 7.

    A row's setting says whom the method is tested against: "k=7 against adtboost-mh".
    """
    rows = []
    for name, one in data.items():
        losses = _losses(one, splits[name], {of: found for (on, of), found in predictions.items() if on == name})
        for first, second in product(losses, repeat=2):
            if first != second:
                against = f"against {second[0]}" if second[1] not in KS else f"against {second[1]}"
                setting = f"{first[1]} {against}" if first[1] in KS else against
                tests = [p_of_better(measure, losses[first][measure], losses[second][measure]) for measure in MEASURES]
                rows.append((name, first[0], setting, *(f"{p:.6g}" for p in tests)))
    return Drawing(None, ("dataset", "method", "setting", *MEASURES), rows)


def _losses(
    data: Dataset, splits: Sequence[Split], predictions: Mapping[str, Predictions]
) -> dict[tuple[str, str], dict[str, np.ndarray]]:
    """The losses of the test rows by method and setting, of BoosTexter after the rounds that the table shows."""
    (split,) = splits
    assert data.Y is not None
    return {
        (method, setting): row_losses(data.Y[split.test], output)
        for method, outputs in predictions.items()
        for (_, _, setting), output in outputs.items()
        if setting in ("", ROUNDS, *KS)
    }


def adtree(data: Mapping[str, Dataset]) -> Drawing:
    return Drawing(draw_adtree(next(iter(data.values()), None)))


def draw_adtree(data: Dataset | None) -> Figure:
    """The alternating decision tree of ADTBoost.MH on the training rows of the public split."""
    if data is None:
        return empty_figure()
    assert data.Y is not None
    training = data.part == TRAIN
    model = ADTBoostMH().fit(data.X[training], data.Y[training])
    return model.plot(data.feature_names, data.label_names)
