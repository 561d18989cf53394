"""feremans2017 at extreme scale: how LCIF's time and memory grow with the scale of the data, and what all of it takes.

Growth is a power law, fitted by least squares on logarithms. Two extrapolations to the full shape stand side by side:

total    the power law of the seconds of a whole run,
by part  the sum of the power laws of its parts. The searches grow faster than all else, so that their share, and with
         it the exponent of the total, rises with the scale; this sum follows that.

The peak of the memory is what an idle process has plus a power law. Scales so small that fixed costs rule are measured
and shown, but are not part of the fit. Where the fit ends before the full shape although that was measured, too, the
extrapolations say how far such can be trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from statistics import fmean, linear_regression

from labelknn.errors import DataError
from labelknn_papers.data.extreme_synthetic import SHAPES
from labelknn_papers.run.scale import PARTS, Measurement

COLUMNS = (
    "shape",
    "scale",
    "kind",
    "fitted",
    "train",
    "test",
    "features",
    "labels",
    "threads",
    *(f"{part}_seconds" for part in PARTS),
    "seconds",
    "idle_memory_mb",
    "peak_memory_mb",
    "basis",
)
# The kind of a row that was not extrapolated.
MEASURED = "measured"


@dataclass(frozen=True)
class PowerLaw:
    """y = full · scale ^ exponent, so that `full` is y at the full scale, 1."""

    full: float
    exponent: float

    def at(self, scale: float) -> float:
        return self.full * scale**self.exponent


def fit_power_law(scales: Sequence[float], values: Sequence[float]) -> PowerLaw:
    """The straight line through the logarithms of positive values."""
    if len(set(scales)) < 2:
        raise DataError(f"a power law needs values at two scales or more, found {len(set(scales))}")
    if min(values) <= 0:
        raise DataError(f"a power law is for positive values, found {min(values):g}")
    line = linear_regression([log(scale) for scale in scales], [log(value) for value in values])
    return PowerLaw(exp(line.intercept), line.slope)


@dataclass(frozen=True)
class Growth:
    """Measurements of one shape by scale, the scales of the fit, and what was fitted."""

    shape: str
    measured: Sequence[Measurement]
    fitted_scales: Sequence[float]
    total: PowerLaw
    parts: Mapping[str, PowerLaw]
    idle_memory_mb: float
    used_memory_mb: PowerLaw

    @property
    def threads(self) -> int:
        return self.measured[0].threads

    @property
    def extrapolates(self) -> bool:
        """Whether the fit ends before the full shape."""
        return self.fitted_scales[-1] < 1

    @property
    def full(self) -> Measurement | None:
        """The full shape, if it was measured."""
        return self.measured[-1] if self.measured[-1].scale == 1 else None

    def seconds_by_part(self, scale: float) -> dict[str, float]:
        return {part: law.at(scale) for part, law in self.parts.items()}

    def peak_memory_mb(self, scale: float) -> float:
        return self.idle_memory_mb + self.used_memory_mb.at(scale)

    @property
    def basis(self) -> str:
        scales = self.fitted_scales
        return f"{len(scales)} measured scales from {scales[0]:g} to {scales[-1]:g}"


def fit_growth(measurements: Iterable[Measurement], fit_from: float, fit_to: float = 1.0) -> Growth:
    """The growth of one shape, fitted to its measurements at scales from `fit_from` to `fit_to`."""
    measured = sorted(measurements, key=lambda one: one.scale)
    shape, threads = measured[0].shape, sorted({one.threads for one in measured})
    if len(threads) > 1:
        raise DataError(f"{shape} was measured with {threads} threads; measure all its scales with the same number")
    fitted = [one for one in measured if fit_from <= one.scale <= fit_to]
    scales = [one.scale for one in fitted]
    if len(scales) < 2:
        raise DataError(f"{shape}: {len(scales)} scales from {fit_from:g} to {fit_to:g} were measured; a fit needs two")
    return Growth(
        shape,
        measured,
        scales,
        fit_power_law(scales, [one.seconds for one in fitted]),
        {part: fit_power_law(scales, [one.part_seconds[part] for one in fitted]) for part in PARTS},
        fmean(one.idle_memory_mb for one in fitted),
        fit_power_law(scales, [one.peak_memory_mb - one.idle_memory_mb for one in fitted]),
    )


def measured_rows(measurements: Iterable[Measurement], fit_from: float, fit_to: float = 1.0) -> list[tuple[str, ...]]:
    """Rows of COLUMNS, by scale; those from `fit_from` to `fit_to` are fitted."""
    ordered = sorted(measurements, key=lambda one: one.scale)
    return [_measured_row(one, fit_from <= one.scale <= fit_to) for one in ordered]


def growths_of(rows: Iterable[Mapping[str, str]]) -> list[Growth]:
    """What follows from rows by column, for each shape: the same from a file as before it was written."""
    by_shape: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        if row["kind"] == MEASURED:
            by_shape.setdefault(row["shape"], []).append(row)
    found = []
    for of_shape in by_shape.values():
        fitted = [float(row["scale"]) for row in of_shape if row["fitted"]]
        if not fitted:
            raise DataError(f"{of_shape[0]['shape']}: no measured scale is to be fitted")
        found.append(fit_growth([_read(row) for row in of_shape], fitted[0], fitted[-1]))
    return found


def _read(row: Mapping[str, str]) -> Measurement:
    return Measurement(
        shape=row["shape"],
        scale=float(row["scale"]),
        train=int(row["train"]),
        test=int(row["test"]),
        features=int(row["features"]),
        labels=int(row["labels"]),
        threads=int(row["threads"]),
        part_seconds={part: float(row[f"{part}_seconds"]) for part in PARTS},
        idle_memory_mb=float(row["idle_memory_mb"]),
        peak_memory_mb=float(row["peak_memory_mb"]),
        scores={},
    )


def scale_rows(growths: Iterable[Growth]) -> list[tuple[str, ...]]:
    """Rows of COLUMNS: what was measured, then what is expected of the full shape if the fit ends before, and why."""
    rows = []
    for growth in growths:
        rows += measured_rows(growth.measured, growth.fitted_scales[0], growth.fitted_scales[-1])
        if growth.extrapolates:
            rows += _extrapolated_rows(growth)
    return rows


def _measured_row(one: Measurement, fitted: bool) -> tuple[str, ...]:
    size = (one.train, one.test, one.features, one.labels, one.threads)
    parts = (f"{one.part_seconds[part]:.6f}" for part in PARTS)
    memory = (f"{one.idle_memory_mb:.1f}", f"{one.peak_memory_mb:.1f}")
    place = (one.shape, f"{one.scale:g}", MEASURED, "yes" if fitted else "")
    return (*place, *map(str, size), *parts, f"{one.seconds:.3f}", *memory, "")


def _extrapolated_rows(growth: Growth) -> list[tuple[str, ...]]:
    full = SHAPES[growth.shape]
    place = (growth.shape, "1")
    size = tuple(map(str, (full.train, full.test, full.features, full.labels, growth.threads)))
    memory = (f"{growth.idle_memory_mb:.0f}", f"{growth.peak_memory_mb(1):.0f}")
    memory_basis = f"memory: idle process + power law with exponent {growth.used_memory_mb.exponent:.2f}"
    by_part = growth.seconds_by_part(1)
    exponents = ", ".join(f"{part} {law.exponent:.2f}" for part, law in growth.parts.items())
    total = f"seconds: power law of the total with exponent {growth.total.exponent:.2f}"
    parts = f"seconds: sum of the power laws of the parts with exponents {exponents}"
    end = f"{memory_basis}; from {growth.basis}"
    return [
        (
            *place,
            "extrapolated, total",
            "",
            *size,
            *[""] * len(PARTS),
            f"{growth.total.full:.0f}",
            *memory,
            f"{total}; {end}",
        ),
        (
            *place,
            "extrapolated, by part",
            "",
            *size,
            *(f"{by_part[part]:.1f}" for part in PARTS),
            f"{sum(by_part.values()):.0f}",
            *memory,
            f"{parts}; {end}",
        ),
    ]
