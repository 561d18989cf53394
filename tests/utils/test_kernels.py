"""How kernels are compiled: what is kept on disk, and when it is out of date."""

import os
import subprocess
import sys

import pytest

from labelknn.utils import _kernels
from labelknn.utils._kernels import inner, kernel


@inner
def plus_one(x):
    return x + 1


@kernel
def twice_plus_one(x):
    return 2 * plus_one(x)


def test_an_inner_kernel_is_called_by_kernels_only():
    assert twice_plus_one(3) == 8
    with pytest.raises(TypeError, match=r"plus_one\.py_func"):
        plus_one(3)
    assert plus_one.py_func(3) == 4


def test_divisions_by_zero_are_those_of_numpy():
    @kernel
    def divide(x, y):
        return x / y

    assert divide(1.0, 0.0) == float("inf")


def test_long_compiling_is_announced_once(monkeypatch, caplog):
    monkeypatch.setattr(_kernels, "_announcement", _kernels._Announcement())
    monkeypatch.setattr(_kernels, "PATIENCE", 0.005)
    for function in (lambda x: x + 1, lambda x: x + 2):
        compiled = kernel(function)
        compiled._cache.flush()
        compiled(1)
    assert [record.message for record in caplog.records] == ["labelknn is compiling, once on this machine ..."]


def test_without_a_folder_for_the_cache_kernels_are_compiled_in_every_process(monkeypatch):
    monkeypatch.setattr(_kernels.FunctionCache._impl_class, "_locator_classes", [])
    assert kernel(lambda x: x + 1)(1) == 2


DEEP = """
from labelknn.utils._kernels import inner
@inner
def step(x):
    return x + 1
"""
DEEP_INSTRUCTION = """
from numba.extending import intrinsic
@intrinsic
def step(typing_context, x):
    def generate(context, builder, signature, arguments):
        return builder.add(arguments[0], arguments[0].type(1))
    return x(x), generate
"""
BETWEEN = """
from deep import step
from labelknn.utils._kernels import inner
@inner
def steps(x):
    return step(x) + 0
"""
OUTER = """
from between import steps
from labelknn.utils._kernels import kernel
@kernel
def walk(x):
    return steps(x)
print(walk(1), sum(walk.stats.cache_hits.values()))
"""


@pytest.mark.parametrize(
    ("deep", "changed"),
    [(DEEP, DEEP.replace("x + 1", "x + 100")), (DEEP_INSTRUCTION, DEEP_INSTRUCTION.replace("type(1)", "type(100)"))],
)
def test_a_kernel_is_compiled_again_when_one_that_it_calls_has_changed(tmp_path, deep, changed):
    def walked():
        call = [sys.executable, "-c", "import outer"]
        environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.check_output(call, cwd=tmp_path, env=environment, text=True).split()

    (tmp_path / "deep.py").write_text(deep)
    (tmp_path / "between.py").write_text(BETWEEN)
    (tmp_path / "outer.py").write_text(OUTER)
    assert [walked(), walked()] == [["2", "0"], ["2", "1"]]
    (tmp_path / "deep.py").write_text(changed)
    assert [walked(), walked()] == [["101", "0"], ["101", "1"]]
