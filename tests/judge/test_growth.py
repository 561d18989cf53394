"""Growth over the scale: laws that are known beforehand are found again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from labelknn.errors import DataError
from labelknn_papers.data.extreme_synthetic import SHAPES
from labelknn_papers.judge.growth import COLUMNS, fit_growth, fit_power_law, scale_rows
from labelknn_papers.run.scale import PARTS, Measurement

SCALES = (0.01, 0.04, 0.16)


def measurement(scale, shape="wiki-lshtc", threads=2, **seconds):
    """The instance search takes 100 s · scale², each other part 1 s · scale; memory is 200 MB + 4 GB · scale."""
    parts = dict.fromkeys(PARTS, scale) | {"instance_search": 100 * scale**2} | seconds
    return Measurement(shape, scale, 30, 10, 20, 5, threads, parts, 200.0, 200 + 4000 * scale, {})


MEASURED = [
    *(measurement(scale) for scale in (0.04, 0.001, 0.16, 0.01)),
    *(measurement(scale, "wiki-10") for scale in (0.25, 0.5, 1)),
]


@pytest.fixture
def growths():
    shapes = {"wiki-lshtc": 0.01, "wiki-10": 0.25}
    return [fit_growth([one for one in MEASURED if one.shape == shape], start) for shape, start in shapes.items()]


@settings(max_examples=50, deadline=None)
@given(st.floats(1e-3, 1e6), st.floats(-1, 3), st.lists(st.floats(1e-4, 1), min_size=2, max_size=6, unique=True))
def test_an_exact_power_law_is_found(full, exponent, scales):
    if max(scales) < 1.01 * min(scales):
        scales.append(2 * max(scales))
    law = fit_power_law(scales, [full * scale**exponent for scale in scales])
    assert law.exponent == pytest.approx(exponent, abs=1e-6)
    assert law.full == pytest.approx(full, rel=1e-5)


def test_least_squares_on_logarithms():
    """log2 of the scales is -2, -1, 0 and of the values 0, 0, 3: the slope is 3 / 2, the height at 0 is 1 + 3 / 2."""
    law = fit_power_law([0.25, 0.5, 1], [1, 1, 8])
    assert law.exponent == pytest.approx(1.5)
    assert law.full == pytest.approx(2**2.5)
    assert law.at(0.25) == pytest.approx(2**-0.5)


@pytest.mark.parametrize(("scales", "values"), [([0.1], [1]), ([0.1, 0.1], [1, 2]), ([0.1, 0.2], [0, 1])])
def test_what_no_law_can_be_fitted_to_is_refused(scales, values):
    with pytest.raises(DataError, match="a power law"):
        fit_power_law(scales, values)


def test_the_full_shape_by_part_is_the_sum_of_the_laws(growths):
    """100 s for the search, 1 s for each of the five other parts; one power law cannot follow the sum of two."""
    growth = growths[0]
    assert sum(growth.seconds_by_part(1).values()) == pytest.approx(105)
    assert growth.parts["instance_search"].exponent == pytest.approx(2)
    assert 1 < growth.total.exponent < 2
    assert growth.total.full < 105
    assert growth.peak_memory_mb(1) == pytest.approx(4200)


def test_small_scales_are_not_fitted(growths):
    assert [one.scale for one in growths[0].measured] == [0.001, *SCALES]
    assert list(growths[0].fitted_scales) == list(SCALES)
    slow_start = fit_growth([measurement(0.001, metrics=1e6), *map(measurement, SCALES)], 0.01)
    assert slow_start.total == growths[0].total


def test_measurements_that_do_not_go_together_are_refused():
    with pytest.raises(DataError, match=r"\[1, 2\] threads"):
        fit_growth([measurement(0.1), measurement(0.2, threads=1)], 0.1)
    with pytest.raises(DataError, match=r"1 scales from 0\.2 to 1 "):
        fit_growth([measurement(0.1), measurement(0.2)], 0.2)
    with pytest.raises(DataError, match=r"1 scales from 0\.1 to 0\.15"):
        fit_growth([measurement(0.1), measurement(0.2)], 0.1, 0.15)


def test_the_table_has_what_was_measured_and_the_basis_of_what_was_not(growths):
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in scale_rows(growths)]
    assert [(row["shape"], row["scale"]) for row in rows if row["kind"] == "measured"] == [
        *(("wiki-lshtc", scale) for scale in ("0.001", "0.01", "0.04", "0.16")),
        *(("wiki-10", scale) for scale in ("0.25", "0.5", "1")),
    ]
    total, by_part = (row for row in rows if row["kind"] != "measured")
    assert (total["shape"], total["scale"], total["train"]) == ("wiki-lshtc", "1", str(SHAPES["wiki-lshtc"].train))
    assert (by_part["seconds"], by_part["instance_search_seconds"], by_part["peak_memory_mb"]) == (
        "105",
        "100.0",
        "4200",
    )
    assert "instance_search 2.00" in by_part["basis"]
    for row in (total, by_part):
        assert row["basis"].endswith("exponent 1.00; from 3 measured scales from 0.01 to 0.16")


def test_a_measured_full_shape_stands_beside_what_smaller_ones_let_expect(growths):
    """It is no part of the fit, so that the law stays, however long it took."""
    whole = measurement(1, metrics=1000.0)
    growth = fit_growth([*map(measurement, SCALES), whole], 0.01, 0.5)
    assert (growth.total, growth.used_memory_mb) == (growths[0].total, growths[0].used_memory_mb)
    assert (growth.full, growths[0].full) == (whole, None)
    assert growth.extrapolates
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in scale_rows([growth])]
    assert [(row["kind"], row["seconds"]) for row in rows if row["scale"] == "1"] == [
        ("measured", "1104.000"),
        ("extrapolated, total", f"{growth.total.full:.0f}"),
        ("extrapolated, by part", "105"),
    ]
