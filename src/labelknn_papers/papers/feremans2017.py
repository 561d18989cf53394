"""feremans2017's figure: how LCIF's time and memory grow with the scale of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import sparse

from labelknn.datasets._container import TEST, Dataset
from labelknn_papers.judge.comparison import decimal
from labelknn_papers.judge.estimates import CellEstimates
from labelknn_papers.judge.growth import COLUMNS, Growth, growths_of, measured_rows, scale_rows
from labelknn_papers.judge.one_prediction import METRICS, Bounds, bounds
from labelknn_papers.plan.cells import Published
from labelknn_papers.plan.protocol import Split
from labelknn_papers.run.scale import Measurement
from labelknn_papers.show.figures import End, Table, label_ends, light_grid, log_ticks, new_figure
from labelknn_papers.show.style import LABEL, NOTE, colour, marker

# Test rows that are compared with all training rows at once.
_BLOCK = 500
# The measures of Table II.
_CONVERGED = ("example_accuracy", "example_f1", "hamming_loss", "micro_f1", "macro_f1")


def scale(measurements: Sequence[Measurement], sweeps: Mapping[str, Mapping[str, Any]]) -> Table:
    """What was measured, and what smaller scales let expect of the full shapes."""
    rows = [
        row
        for shape, sweep in sweeps.items()
        for row in measured_rows(
            [one for one in measurements if one.shape == shape], sweep["fit_from"], sweep.get("fit_to", 1.0)
        )
    ]
    return Table(COLUMNS, scale_rows(growths_of(Table(COLUMNS, rows).records())))


def candidates(data: Mapping[str, Dataset], splits: Mapping[str, Sequence[Split]]) -> Table:
    """How many training rows share a feature with a test row, on average, beside all that the cost could depend on."""
    rows = []
    for name, one in data.items():
        (split,) = splits[name]
        train, test = (sparse.csr_matrix(one.X)[part].astype(bool) for part in (split.train, split.test))
        shared = sum(
            (test[start : start + _BLOCK].astype(np.int32) @ train.T.astype(np.int32)).nnz
            for start in range(0, test.shape[0], _BLOCK)
        )
        sizes = (train.shape[0], test.shape[0], one.X.shape[1])
        means = (decimal(shared / test.shape[0]), decimal(train.nnz / train.shape[0]))
        rows.append((name, *sizes, *means))
    return Table(("dataset", "train_rows", "test_rows", "features", "candidates", "feature_cardinality"), rows)


def converged(scores: CellEstimates, seconds: Mapping[tuple[str, str], Mapping[str, float]]) -> Table:
    """The scores of each cell, and how long it took."""
    rows = []
    for (dataset, method), estimates in scores.items():
        means = [decimal(estimates["", metric].mean) for metric in _CONVERGED]
        rows.append((dataset, method, *means, f"{seconds[dataset, method]['runtime_seconds']:.1f}"))
    return Table(("dataset", "method", *_CONVERGED, "runtime_seconds"), rows)


def one_prediction(data: Mapping[str, Dataset], published: Sequence[Published]) -> Table:
    """For each row of Table II: in which share of the test rows its prediction can have a hit, and must have one."""
    rows = []
    for name, one in data.items():
        assert one.Y is not None
        sets = sparse.csr_matrix(one.Y)[one.part == TEST]
        unlabelled = int((np.diff(sets.indptr) == 0).sum())
        # The paper's names of these data sets are their ids, but for capitals.
        there = [number for number in published if number.table == "table2" and number.dataset.lower() == name]
        for method in dict.fromkeys(number.method for number in there):
            printed = {number.metric: number for number in there if number.method == method and number.printed}
            if printed.keys() >= set(METRICS):
                found = bounds(printed, sets.shape[0], sets.shape[1], unlabelled)
                rows.append((name, method, *map(decimal, found), int(found.possible)))
    return Table(("dataset", "method", *Bounds._fields, "possible"), rows)


def draw_scale(table: Table, names: Mapping[str, str]) -> Figure:
    """Time and memory over the scale: filled points are measured; lines are fitted, dashed where they extrapolate to
    the full shape, and end in hollow points where that was not measured."""
    growths = growths_of(table.records())
    titles = {growth.shape: names.get(growth.shape, growth.shape) for growth in growths}
    with new_figure(9, 4.4, ncols=2) as (figure, grid):
        seconds, memory = grid
        ends: dict[Axes, list[End]] = {seconds: [], memory: []}
        for place, growth in enumerate(growths):
            name, look = titles[growth.shape], {"color": colour(place), "marker": marker(place)}
            ends[seconds] += _draw_seconds(seconds, growth, name, look)
            ends[memory] += _draw_memory(memory, growth, name, look)
        for axes, label in zip(grid, ("seconds, from search to metrics", "peak memory, GB"), strict=True):
            axes.set(xscale="log", yscale="log", xlabel="scale factor of rows, features and labels", ylabel=label)
            axes.margins(x=0.05, y=0.1)
            light_grid(axes)
            # Above the points, of which the highest is at the right.
            axes.set_ylim(top=axes.get_ylim()[1] * (axes.get_ylim()[1] / axes.get_ylim()[0]) ** (0.08 * len(growths)))
            axes.legend(loc="upper left", fontsize=NOTE)
            for axis in (axes.xaxis, axes.yaxis):
                low, high = axis.get_view_interval()
                log_ticks(axis, low, high, most=8)
            label_ends(axes, ends[axes], NOTE)
        figure.suptitle("\n".join(_bases(growths, titles)), fontsize=LABEL)
        return figure


def _draw_seconds(axes: Axes, growth: Growth, name: str, look: Mapping[str, Any]) -> list[End]:
    points = {one.scale: one.seconds for one in growth.measured}
    _draw_points(axes, points, f"{name}: grow with scale$^{{{growth.total.exponent:.2f}}}$", look)
    _draw_line(axes, growth, growth.total.at, look)
    if growth.full:
        return [End(growth.full.seconds, duration(growth.full.seconds), look["color"])]
    if not growth.extrapolates:
        return []
    total, by_part = growth.total.full, sum(growth.seconds_by_part(1).values())
    return [
        _draw_extrapolated(axes, total, f"total: {duration(total)}", look),
        _draw_extrapolated(axes, by_part, f"by part: {duration(by_part)}", {**look, "marker": "D"}),
    ]


def _draw_memory(axes: Axes, growth: Growth, name: str, look: Mapping[str, Any]) -> list[End]:
    points = {one.scale: one.peak_memory_mb / 1e3 for one in growth.measured}
    idle, exponent = growth.idle_memory_mb / 1e3, growth.used_memory_mb.exponent
    _draw_points(axes, points, f"{name}: {idle:.2f} GB + growth with scale$^{{{exponent:.2f}}}$", look)
    _draw_line(axes, growth, lambda scale: growth.peak_memory_mb(scale) / 1e3, look)
    if growth.full:
        full = growth.full.peak_memory_mb / 1e3
        return [End(full, f"{full:.2g} GB", look["color"])]
    full = growth.peak_memory_mb(1) / 1e3
    return [_draw_extrapolated(axes, full, f"{full:.2g} GB", look)] if growth.extrapolates else []


def _draw_points(axes: Axes, points: Mapping[float, float], label: str, look: Mapping[str, Any]) -> None:
    axes.plot(list(points), list(points.values()), linestyle="none", label=label, **look)


def _draw_line(axes: Axes, growth: Growth, law: Callable[[float], float], look: Mapping[str, Any]) -> None:
    """Solid over the scales of the fit, dashed from there to the full shape."""
    first, last = growth.fitted_scales[0], growth.fitted_scales[-1]
    for start, end, style in ((first, last, "-"), (last, 1.0, "--")):
        scales = np.geomspace(start, end, 50)
        axes.plot(scales, [law(scale) for scale in scales], style, linewidth=1, color=look["color"])


def _draw_extrapolated(axes: Axes, value: float, label: str, look: Mapping[str, Any]) -> End:
    hollow: dict[str, Any] = {"linestyle": "none", "markersize": 6, "fillstyle": "none", "markeredgewidth": 1}
    axes.plot([1], [value], markeredgecolor=look["color"], **hollow, **look)
    return End(value, label, look["color"])


def _bases(growths: Iterable[Growth], titles: Mapping[str, str]) -> Iterator[str]:
    """Above the figure: what the lines and the hollow points rest on."""
    for growth in growths:
        mark = "dashed" if growth.full else "hollow"
        extrapolated = f"; {mark}: extrapolated from these" if growth.extrapolates else ""
        threads = f"{growth.threads} thread{'s' * (growth.threads > 1)}"
        yield f"LCIF on {titles[growth.shape]}, {threads}. Lines: fitted to {growth.basis}{extrapolated}."


def duration(seconds: float) -> str:
    """To two significant digits, in a unit that fits.

    >>> duration(42), duration(600), duration(9000)
    ('42 s', '10 min', '2.5 h')
    """
    for unit, size in (("h", 3600), ("min", 60)):
        if seconds >= 1.5 * size:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(seconds)} s"


def _two_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}".removesuffix(".0")
