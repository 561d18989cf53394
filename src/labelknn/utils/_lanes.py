"""What kernels tell the processor for which Numba has no words: several numbers at a time, and what memory comes next.

Numba finds loops that it can run on vector units, but only plain ones over many numbers. Here are `LANES` float64 side
by side, with the operations of single ones: each comes out with the same bits. LLVM makes as few instructions of them
as the processor needs.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

# What every x86-64 of the last ten years has in one instruction. With eight, which some have, comparing few labels with
# each other takes longer.
LANES = 4

_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_BITS = ir.IntType(LANES)
_WORD = ir.IntType(64)


class _Lanes(types.Type):
    """Numba's type of a variable in a kernel; kernels cannot hand it to one another."""


_lanes = _Lanes("Lanes")


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: _Lanes) -> None:
        super().__init__(manager, kind, _VECTOR)


def _operation(build: Callable) -> Any:
    """An operation on two that are lanes, or numbers that stand for lanes that are all the same."""

    def typed(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return build(builder, *map(_as_lanes(context, builder), arguments, signature.args))

        return _lanes(a, b), generate

    return intrinsic(typed)


plus = _operation(lambda builder, a, b: builder.fadd(a, b))
minus = _operation(lambda builder, a, b: builder.fsub(a, b))
times = _operation(lambda builder, a, b: builder.fmul(a, b))


@intrinsic
def spread(typing_context, value):
    """Lanes that are all the same."""

    def generate(context, builder, signature, arguments):
        return _as_lanes(context, builder)(*arguments, *signature.args)

    return _lanes(value), generate


@intrinsic
def load(typing_context, array, place):
    """The lanes that begin at an entry of an array, by its place in memory."""

    def generate(context, builder, signature, arguments):
        address = _entry(context, builder, signature.args[0], *arguments)
        return builder.load(builder.bitcast(address, _VECTOR.as_pointer()), align=8)

    return _lanes(array, types.intp), generate


@intrinsic
def store(typing_context, array, place, value):
    """The other way round."""

    def generate(context, builder, signature, arguments):
        address = _entry(context, builder, signature.args[0], *arguments[:2])
        builder.store(arguments[2], builder.bitcast(address, _VECTOR.as_pointer()), align=8)
        return context.get_dummy_value()

    return types.void(array, types.intp, _lanes), generate


@intrinsic
def gather(typing_context, array, places, first):
    """The lanes of an array at the places that another array has from an entry on."""

    def generate(context, builder, signature, arguments):
        array, places, first = arguments
        found = _VECTOR(ir.Undefined)
        for lane in range(LANES):
            number = _entry(context, builder, signature.args[1], places, builder.add(first, cgutils.intp_t(lane)))
            place = builder.zext(builder.load(number), cgutils.intp_t)
            value = builder.load(_entry(context, builder, signature.args[0], array, place))
            found = builder.insert_element(found, value, cgutils.int32_t(lane))
        return found

    return _lanes(array, places, types.intp), generate


@intrinsic
def none_above(typing_context, a, b):
    """A bit for each two lanes, bit LANES · i + j for a_i and b_j: whether a_i − b_j is 0 or less."""

    def generate(context, builder, signature, arguments):
        rows = []
        for lane, margins in enumerate(_differences(builder, *arguments)):
            bits = builder.bitcast(builder.fcmp_ordered("<=", margins, _VECTOR(None)), _BITS)
            rows.append(builder.shl(builder.zext(bits, _WORD), _WORD(LANES * lane)))
        return _reduced(rows, builder.or_)

    return types.int64(_lanes, _lanes), generate


@intrinsic
def least_margin(typing_context, a, b, pairs, most):
    """Lanes with the least a_i − b_j of the pairs whose bits are set, in any order, and at most `most`."""

    def generate(context, builder, signature, arguments):
        a, b, pairs, most = arguments
        rows = [most]
        for lane, margins in enumerate(_differences(builder, a, b)):
            bits = builder.trunc(builder.lshr(pairs, _WORD(LANES * lane)), _BITS)
            rows.append(builder.select(builder.bitcast(bits, ir.VectorType(ir.IntType(1), LANES)), margins, most))
        return _reduced(rows, _lesser(builder))

    return _lanes(_lanes, _lanes, types.int64, _lanes), generate


@intrinsic
def least_of(typing_context, value):
    """The least lane."""

    def generate(context, builder, signature, arguments):
        lanes = [builder.extract_element(*arguments, cgutils.int32_t(lane)) for lane in range(LANES)]
        return _reduced(lanes, _lesser(builder))

    return types.float64(_lanes), generate


@intrinsic
def first_bit(typing_context, bits):
    """The number of the lowest bit that is set; some must be."""

    def generate(context, builder, signature, arguments):
        return builder.cttz(*arguments, cgutils.true_bit)

    return types.int64(types.int64), generate


@intrinsic
def prefetch(typing_context, array, place):
    """Begin to load the memory of an array's entry, by its place in memory."""

    def generate(context, builder, signature, arguments):
        address = builder.bitcast(_entry(context, builder, signature.args[0], *arguments), cgutils.voidptr_t)
        flags = [cgutils.int32_t(flag) for flag in (0, 3, 1)]  # to read, to keep in all caches, data
        kind = ir.FunctionType(ir.VoidType(), [address.type, *(flag.type for flag in flags)])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(instruction, [address, *flags])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def _entry(context: Any, builder: Any, kind: Any, array: Any, place: Any) -> Any:
    return builder.gep(context.make_array(kind)(context, builder, array).data, [place])


def _as_lanes(context: Any, builder: Any) -> Callable:
    def converted(value: Any, kind: Any) -> Any:
        if kind is _lanes:
            return value
        number = context.cast(builder, value, kind, types.float64)
        return _one_lane(builder, builder.insert_element(_VECTOR(ir.Undefined), number, cgutils.int32_t(0)), 0)

    return converted


def _one_lane(builder: Any, value: Any, lane: int) -> Any:
    """Lanes that are all the same as one of another."""
    return builder.shuffle_vector(value, _VECTOR(ir.Undefined), ir.VectorType(cgutils.int32_t, LANES)([lane] * LANES))


def _differences(builder: Any, a: Any, b: Any) -> list[Any]:
    return [builder.fsub(_one_lane(builder, a, lane), b) for lane in range(LANES)]


def _lesser(builder: Any) -> Callable:
    return lambda one, other: builder.select(builder.fcmp_ordered("<", one, other), one, other)


def _reduced(values: list[Any], join: Callable) -> Any:
    """Pairs first, so that the processor need not wait for one after the other."""
    while len(values) > 1:
        one, other, *rest = values
        values = [*rest, join(one, other)]
    return values[0]
