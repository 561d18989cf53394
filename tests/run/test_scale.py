"""A small run from search to metrics in a process of its own, and what the clock says."""

import time

import pytest
import yaml

from labelknn import LCIF
from labelknn.datasets._container import TEST, TRAIN
from labelknn.errors import DataError
from labelknn.metrics._multilabel import micro_f1
from labelknn_papers.data.extreme_synthetic import SHAPES, read_synthetic_extreme
from labelknn_papers.run.scale import PARTS, Clock, measure_apart, read_measurements, write_measurement

from ..conftest import ROOT

TINY = 0.0005


@pytest.fixture(scope="module")
def measured():
    return measure_apart("wiki-lshtc", TINY, seed=3, threads=1)


@pytest.mark.long
def test_it_is_lcif_that_is_measured(measured):
    data = read_synthetic_extreme("toy", shape="wiki-lshtc", scale=TINY, seed=3)
    training, test = data.part == TRAIN, data.part == TEST
    sets = LCIF().fit(data.X[training], data.Y[training])._output(data.X[test])["sets"]
    assert measured.scores["micro_f1"] == micro_f1(data.Y[test], sets)
    assert (measured.train, measured.test) == (training.sum(), test.sum())
    assert (measured.features, measured.labels, measured.threads) == (data.d, data.q, 1)


@pytest.mark.long
def test_every_part_takes_time_and_the_run_takes_memory(measured):
    assert list(measured.part_seconds) == list(PARTS)
    assert all(seconds > 0 for seconds in measured.part_seconds.values())
    assert measured.seconds == sum(measured.part_seconds.values())
    assert measured.peak_memory_mb > measured.idle_memory_mb


@pytest.mark.long
def test_what_is_written_is_read_again(measured, tmp_path):
    write_measurement(tmp_path / "one.json", measured)
    assert read_measurements([tmp_path / "one.json"]) == [measured]


def test_a_part_within_a_part_counts_once(monkeypatch):
    now = iter([0.0, 1.0, 4.0, 10.0])
    monkeypatch.setattr(time, "perf_counter", lambda: next(now))
    clock = Clock()
    assert clock.measure("threshold", lambda: clock.measure("metrics", lambda: "result")) == "result"
    assert (clock.seconds["threshold"], clock.seconds["metrics"]) == (7.0, 3.0)


@pytest.mark.long
def test_what_stops_the_process_is_said():
    with pytest.raises(DataError, match=r"wiki-10 at scale 2 ended with status 1: .* option 'scale' is 2\.0; expected"):
        measure_apart("wiki-10", 2, seed=1, threads=1)


def test_the_schema_knows_the_shapes():
    schema = yaml.safe_load((ROOT / "workflow/schemas/paper.schema.yaml").read_text())
    assert set(schema["properties"]["scale"]["properties"]["shapes"]["properties"]) == set(SHAPES)
