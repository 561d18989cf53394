"""The search of `labelknn.neighbors` where rows are sets of features: all values of a row are the same.

The cosine of two sets is their overlap, divided by the root of the product of their sizes. Overlaps are counted in two
ways. Each of the most frequent features is a bit, 64 of them are a word, and a word costs one `and` and one population
count per row. The other features go through an inverted index, as in feremans2017, section III-A2, with one step per
pair of equal features. Which features are frequent enough follows from what the two ways cost.

Rows are taken in blocks that can be numbered with 16 bits, so that the index is small and the counters of a block stay
in the cache. A vectorised pass in float32 then finds the largest values of groups of rows, and from these a bound that
the k best rows reach. Only the groups above it are looked at row by row, with exact comparisons. A query whose features
have only few rows between them looks at these rows alone.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
from numba import types
from numba.extending import intrinsic
from scipy import sparse

from labelknn.utils._kernels import inner, kernel
from labelknn.utils._threads import over_rows

CSR: TypeAlias = sparse.csr_matrix
Array: TypeAlias = np.ndarray

# What one step through the inverted index costs, in words: measured on delicious and on data of the shapes of Wiki-10
# and Wiki-LSHTC, where it was between one and five.
STEP_COST = 2.0
# The share of the rows below which a query looks only at the rows that it meets.
FEW_ROWS = 0.05

BLOCK_ROWS = 2**16
WORD = 64
# Rows in a group of the vectorised pass; the loop in `_group_maxima` is written out for this number.
GROUP = 8
# Beyond the rounding of the values in float32, which is four times 2^-24.
MARGIN = 1e-6
BISECTIONS = 8


class Asked(NamedTuple):
    """The queries as sets of features, and the number of the row that is not offered to each, or -1."""

    indptr: Array
    indices: Array
    sizes: Array
    excluded: Array


class Block(NamedTuple):
    """Some of the rows, counted from `offset`.

    ends, lists : the inverted index: the rows with feature f are lists[ends[f] : ends[f + 1]].
    bit : the number of each frequent feature, -1 for the others.
    packed : the frequent features of the rows: bit b of row i is bit b % 64 of packed[b // 64, i].
    inverse : 1 / size in whole groups of rows, 0 for rows without features and for those that do not exist.
    """

    ends: Array
    lists: Array
    bit: Array
    packed: Array
    sizes: Array
    inverse: Array
    offset: int


def search_sets(rows: CSR, queries: CSR, excluded: Array, memory: int, found: Array, similarities: Array) -> None:
    """Fill in `found` and `similarities`, which hold -1 and 0; `excluded` has a row number or -1 for each query."""
    n, d = rows.shape
    asked, sets = _asked(queries, excluded), _asked(rows, np.empty(0, np.int64))
    bit, words = _frequent(rows, queries)
    # The lists of the index, the words, and what the counters of two dozen threads take; the index begins with `ends`.
    needed = 2 * rows.indptr.astype(np.float64) + (8 * words + 64) * np.arange(n + 1)
    memory -= 16 * (d + 1)
    start = 0
    while start < n:
        fitting = int(np.searchsorted(needed, needed[start] + memory, side="right")) - 1
        stop = min(max(fitting, start + 1), start + BLOCK_ROWS, n)
        over_rows(_search_block, len(asked.sizes), _block(sets, start, stop, bit, words), asked, found, similarities)
        start = stop


def _asked(matrix: CSR, excluded: Array) -> Asked:
    indptr, indices = matrix.indptr.astype(np.int64), np.asarray(matrix.indices, np.int32)
    return Asked(indptr, indices, np.diff(indptr).astype(np.float64), excluded.astype(np.int64))


def _frequent(rows: CSR, queries: CSR) -> tuple[Array, int]:
    """The bit number of each feature, -1 for those that the index takes, and the number of words."""
    (n, d), m = rows.shape, queries.shape[0]
    steps = np.bincount(rows.indices, minlength=d) * np.bincount(queries.indices, minlength=d).astype(np.float64)
    order = np.argsort(-steps, kind="stable")
    steps_of_word = np.add.reduceat(steps[order], np.arange(0, d, WORD)) if d else np.zeros(0)
    words = int((STEP_COST * steps_of_word > float(n) * m).sum())
    bit = np.full(d, -1, np.int32)
    frequent = order[: words * WORD]
    bit[frequent] = np.arange(len(frequent))
    return bit, words


@intrinsic
def _population_count(typing_context, word):
    """The number of bits that are set: one instruction of the processor, for which numba has no name."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def _block(rows: Asked, start: int, stop: int, bit: Array, words: int) -> Block:
    sizes = rows.sizes[start:stop]
    inverse = np.zeros(-(-len(sizes) // GROUP) * GROUP, np.float32)
    np.divide(1, sizes, out=inverse[: len(sizes)], where=sizes > 0, casting="same_kind")
    ends, lists = np.zeros(len(bit) + 2, np.int64), np.empty(rows.indptr[stop] - rows.indptr[start], np.uint16)
    block = Block(ends, lists, bit, np.zeros((words, stop - start), np.uint64), sizes, inverse, start)
    _fill_block(rows.indptr, rows.indices, stop, block)
    return block


@kernel
def _fill_block(indptr, indices, stop, block):
    """Fill in `ends` and `packed`, which are zeros, and `lists`."""
    start, ends = block.offset, block.ends
    for p in range(indptr[start], indptr[stop]):
        ends[indices[p] + 2] += 1
    for f in range(2, len(ends)):
        ends[f] += ends[f - 1]
    # ends[f + 1] is where the list of f begins, and moves to where it ends.
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            f = indices[p]
            block.lists[ends[f + 1]] = i - start
            ends[f + 1] += 1
            b = block.bit[f]
            if b >= 0:
                block.packed[b // WORD, i - start] |= np.uint64(1) << np.uint64(b % WORD)


class _Scratch(NamedTuple):
    """What the kernel needs beside its result, for one query after the other.

    counts : the overlaps, which are zeros before and after.
    by_group, inverse : the same numbers, and those of the block; each column is a group.
    """

    counts: Array
    by_group: Array
    inverse: Array
    maxima: Array
    promising: Array
    met: Array
    mask: Array


def _search_block(start: int, stop: int, block: Block, asked: Asked, found: Array, similarities: Array) -> None:
    largest = block.sizes.max()
    counts = np.zeros((GROUP, len(block.inverse) // GROUP), np.uint16 if largest < 2**16 else np.uint32)
    scratch = _Scratch(
        counts.ravel(),
        counts,
        block.inverse.reshape(counts.shape),
        np.empty(counts.shape[1], np.float32),
        np.empty(counts.shape[1], np.int64),
        np.empty(int(FEW_ROWS * len(block.sizes)) + 1, np.uint16),
        np.empty(len(block.packed), np.uint64),
    )
    _offer_block(start, stop, block, asked, found, similarities, largest, scratch)


@kernel
def _offer_block(start, stop, block, asked, found, similarities, largest_size, scratch):
    ends, lists, bit, counts, mask = block.ends, block.lists, block.bit, scratch.counts, scratch.mask
    for query in range(start, stop):
        first, last = asked.indptr[query], asked.indptr[query + 1]
        for w in range(len(mask)):
            mask[w] = 0
        steps = 0
        for p in range(first, last):
            f = asked.indices[p]
            b = bit[f]
            if b >= 0:
                mask[b // WORD] |= np.uint64(1) << np.uint64(b % WORD)
            steps += ends[f + 1] - ends[f]
        if steps < len(scratch.met):
            _offer_few(block, asked, query, scratch, found[query], similarities[query])
            continue
        for w in range(len(mask)):
            if mask[w] != 0:
                _count_word(block.packed[w], mask[w], counts)
        for p in range(first, last):
            f = asked.indices[p]
            if bit[f] < 0:
                for place in range(ends[f], ends[f + 1]):
                    counts[np.uint64(lists[place])] += 1  # unsigned: numba then does not look for negative numbers
        _find_maxima(scratch.by_group, scratch.inverse, scratch.maxima)
        _offer_groups(block, asked, query, largest_size, scratch, found[query], similarities[query])
        for i in range(len(counts)):
            counts[i] = 0


@inner
def _count_word(word, wanted, counts):
    for i in range(len(word)):
        counts[i] += _population_count(word[i] & wanted)


@inner
def _offer_few(block, asked, query, scratch, indices, similarities):
    """Count for the rows that the features meet, and put the best of them into the result; leave all counts 0."""
    ends, met, counts = block.ends, scratch.met, scratch.counts
    size, without, number = asked.sizes[query], asked.excluded[query] - block.offset, 0
    for q in range(asked.indptr[query], asked.indptr[query + 1]):
        f = asked.indices[q]
        for p in range(ends[f], ends[f + 1]):
            row = block.lists[p]
            if counts[row] == 0:
                met[number] = row
                number += 1
            counts[row] += 1
    for i in range(number):
        row = np.int64(met[i])
        overlap = np.float64(counts[row])
        counts[row] = 0
        if row != without:
            similarity = np.sqrt(overlap * overlap / (block.sizes[row] * size))
            insert(similarity, row + block.offset, indices, similarities)


@inner
def _find_maxima(counts, inverse, maxima):
    """The largest overlap² / size of each group. Group g has the rows g, g + G, g + 2 G, ... of G groups: neighbouring
    groups lie side by side, which is what the compiler can vectorise."""
    for g in range(len(maxima)):
        first = _larger(_value(counts[0, g], inverse[0, g]), _value(counts[1, g], inverse[1, g]))
        second = _larger(_value(counts[2, g], inverse[2, g]), _value(counts[3, g], inverse[3, g]))
        third = _larger(_value(counts[4, g], inverse[4, g]), _value(counts[5, g], inverse[5, g]))
        fourth = _larger(_value(counts[6, g], inverse[6, g]), _value(counts[7, g], inverse[7, g]))
        maxima[g] = _larger(_larger(first, second), _larger(third, fourth))


@inner
def _larger(a, b):
    return a if a > b else b


@inner
def _value(count, inverse):
    overlap = np.float32(np.int32(count))
    return overlap * overlap * inverse


@inner
def _offer_groups(block, asked, query, largest_size, scratch, indices, similarities):
    """Put the best rows of the block into the result, which holds rows of lower numbers only."""
    counts, maxima, promising = scratch.counts, scratch.maxima, scratch.promising
    size, without, k = asked.sizes[query], asked.excluded[query] - block.offset, len(indices)
    # At most one of the rows that reach this is left out.
    reached_by_k = np.float32(exceeded_by(maxima, k + 1, size, BISECTIONS) * (1 - MARGIN))
    lowest = _larger(reached_by_k, _bound(similarities[-1], size, largest_size))
    number = 0
    for g in range(len(maxima)):
        if maxima[g] > lowest:
            promising[number] = g
            number += 1
    for start in range(0, len(block.sizes), len(maxima)):
        for i in range(number):
            row = start + promising[i]
            # Rows of the last group that do not exist have a count of 0.
            if _value(counts[row], block.inverse[row]) > lowest and row != without:
                overlap = np.float64(counts[row])
                similarity = np.sqrt(overlap * overlap / (block.sizes[row] * size))
                if insert(similarity, row + block.offset, indices, similarities):
                    lowest = _larger(lowest, _bound(similarities[-1], size, largest_size))


@inner
def exceeded_by(values, wanted, upper, rounds):
    """A number below at least `wanted` of the values, and below few more where bisection of 0 to `upper` finds one; 0
    if there is none."""
    lower, upper = np.float32(0), np.float32(upper)
    for _ in range(rounds):
        middle = (lower + upper) / np.float32(2)
        above = np.int32(0)
        for i in range(len(values)):
            above += np.int32(values[i] > middle)
        if above < wanted:
            upper = middle
        else:
            lower = middle
            if above < 2 * wanted:
                break
    return lower


@inner
def _bound(similarity, size, largest_size):
    """What overlap² / size of row exceeds, in float32, if the row follows in number and still belongs among the k best,
    of which the last has this similarity. Two different values are a share of at least 1 / (size² largest_size) apart;
    where rounding is less than that, equal values are told from larger ones, and need not be looked at."""
    margin = MARGIN if 4 * MARGIN * size * size * largest_size < 1 else -MARGIN
    return np.float32(similarity * similarity * size * (1 + margin))


@inner
def insert(similarity, row, indices, similarities):
    """Put a row in its place among the k best, if it is one of them: more similar first, then the lower number."""
    place = len(indices)
    while place > 0 and (
        similarity > similarities[place - 1] or (similarity == similarities[place - 1] and row < indices[place - 1])
    ):
        place -= 1
        if place + 1 < len(indices):
            similarities[place + 1], indices[place + 1] = similarities[place], indices[place]
    if place == len(indices):
        return False
    similarities[place], indices[place] = similarity, row
    return True
