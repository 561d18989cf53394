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

from typing import TypeAlias

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from scipy import sparse

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


def search_sets(rows: CSR, queries: CSR, excluded: Array, memory: int, found: Array, similarities: Array) -> None:
    """Fill in `found` and `similarities`, which hold -1 and 0; `excluded` has a row number or -1 for each query."""
    n, d = rows.shape
    sizes, query_sizes = (np.diff(part.indptr).astype(np.float64) for part in (rows, queries))
    bit, words = _frequent(rows, queries)
    counter = np.zeros(0, np.uint16 if sizes.max(initial=0) < 2**16 else np.uint32)
    # The lists of the index, the words, and what the counters of two dozen threads take; the index begins with `ends`.
    needed = 2 * rows.indptr.astype(np.float64) + (8 * words + 64) * np.arange(n + 1)
    memory -= 16 * (d + 1)
    start = 0
    while start < n:
        fitting = int(np.searchsorted(needed, needed[start] + memory, side="right")) - 1
        stop = min(max(fitting, start + 1), start + BLOCK_ROWS, n)
        ends, lists = _invert(rows.indptr, rows.indices, start, stop, d)
        packed = _pack(rows.indptr, rows.indices, start, stop, bit, words)
        block = (ends, lists, packed, bit, sizes[start:stop], _inverse(sizes[start:stop]), start, counter)
        asked = (queries.indptr, queries.indices, query_sizes, excluded)
        over_rows(_search_block, len(query_sizes), *block, *asked, found, similarities)
        start = stop


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


@numba.njit(cache=True)
def _invert(indptr, indices, start, stop, d):
    """The inverted index of the rows from `start` to `stop`: those with feature f are lists[ends[f] : ends[f + 1]]."""
    ends = np.zeros(d + 1, np.int64)
    for p in range(indptr[start], indptr[stop]):
        ends[indices[p] + 1] += 1
    for f in range(d):
        ends[f + 1] += ends[f]
    lists = np.empty(indptr[stop] - indptr[start], np.uint16)
    place = ends[:-1].copy()
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            f = indices[p]
            lists[place[f]] = i - start
            place[f] += 1
    return ends, lists


@numba.njit(cache=True)
def _pack(indptr, indices, start, stop, bit, words):
    """The frequent features of the rows: bit b of row i is bit b % 64 of packed[b // 64, i]."""
    packed = np.zeros((words, stop - start), np.uint64)
    for i in range(start, stop):
        for p in range(indptr[i], indptr[i + 1]):
            b = bit[indices[p]]
            if b >= 0:
                packed[b // WORD, i - start] |= np.uint64(1) << np.uint64(b % WORD)
    return packed


def _inverse(sizes: Array) -> Array:
    """1 / size in whole groups of rows, 0 for rows without features and for those that do not exist."""
    inverse = np.zeros(-(-len(sizes) // GROUP) * GROUP, np.float32)
    np.divide(1, sizes, out=inverse[: len(sizes)], where=sizes > 0, casting="same_kind")
    return inverse


@numba.njit(nogil=True, cache=True)
def _search_block(
    first,
    last,
    ends,
    lists,
    packed,
    bit,
    sizes,
    inverse,
    offset,
    counter,
    query_indptr,
    query_indices,
    query_sizes,
    excluded,
    indices,
    similarities,
):
    groups, largest_size = len(inverse) // GROUP, sizes.max()
    counts = np.zeros(groups * GROUP, counter.dtype)
    maxima = np.empty(groups, np.float32)
    promising = np.empty(groups, np.int64)
    met = np.empty(int(FEW_ROWS * len(sizes)) + 1, np.uint16)
    mask = np.empty(len(packed), np.uint64)
    for query in range(first, last):
        features = query_indices[query_indptr[query] : query_indptr[query + 1]]
        size, without = query_sizes[query], excluded[query] - offset
        mask[:] = 0
        steps = 0
        for f in features:
            if bit[f] >= 0:
                mask[bit[f] // WORD] |= np.uint64(1) << np.uint64(bit[f] % WORD)
            steps += ends[f + 1] - ends[f]
        if steps < len(met):
            _offer_few(
                lists,
                ends,
                features,
                met,
                counts,
                sizes,
                size,
                without,
                offset,
                indices[query],
                similarities[query],
            )
            continue
        _count_words(packed, mask, counts)
        for f in features:
            if bit[f] < 0:
                _count_list(lists[ends[f] : ends[f + 1]], counts)
        _group_maxima(counts, inverse, maxima)
        _offer_groups(
            counts,
            inverse,
            maxima,
            promising,
            sizes,
            size,
            largest_size,
            without,
            offset,
            indices[query],
            similarities[query],
        )
        counts[:] = 0


@numba.njit(cache=True)
def _count_words(packed, mask, counts):
    for w in range(len(mask)):
        if mask[w] != 0:
            word, wanted = packed[w], mask[w]
            for i in range(len(word)):
                counts[i] += _population_count(word[i] & wanted)


@numba.njit(cache=True)
def _count_list(rows, counts):
    for i in range(len(rows)):
        counts[np.uint64(rows[i])] += 1  # unsigned: numba then does not look for negative numbers


@numba.njit(cache=True)
def _offer_few(lists, ends, features, met, counts, sizes, size, without, offset, indices, similarities):
    """Count for the rows that the features meet, and put the best of them into the result; leave all counts 0."""
    number = 0
    for f in features:
        for p in range(ends[f], ends[f + 1]):
            row = lists[p]
            if counts[row] == 0:
                met[number] = row
                number += 1
            counts[row] += 1
    for i in range(number):
        row = np.int64(met[i])
        overlap = np.float64(counts[row])
        counts[row] = 0
        if row != without:
            insert(np.sqrt(overlap * overlap / (sizes[row] * size)), row + offset, indices, similarities)


@numba.njit(cache=True, fastmath={"nnan", "nsz"})
def _group_maxima(counts, inverse, maxima):
    """The largest overlap² / size of each group. Group g has the rows g, g + G, g + 2 G, ... of G groups: neighbouring
    groups lie side by side, which is what the compiler can vectorise."""
    groups = len(maxima)
    c0, c1, c2, c3, c4, c5, c6, c7 = _slices(counts, groups)
    v0, v1, v2, v3, v4, v5, v6, v7 = _slices(inverse, groups)
    for g in range(groups):
        first = max(_value(c0[g], v0[g]), _value(c1[g], v1[g]))
        second = max(_value(c2[g], v2[g]), _value(c3[g], v3[g]))
        third = max(_value(c4[g], v4[g]), _value(c5[g], v5[g]))
        fourth = max(_value(c6[g], v6[g]), _value(c7[g], v7[g]))
        maxima[g] = max(max(first, second), max(third, fourth))


@numba.njit(cache=True)
def _slices(array, n):
    return (
        array[:n],
        array[n : 2 * n],
        array[2 * n : 3 * n],
        array[3 * n : 4 * n],
        array[4 * n : 5 * n],
        array[5 * n : 6 * n],
        array[6 * n : 7 * n],
        array[7 * n :],
    )


@numba.njit(cache=True)
def _value(count, inverse):
    overlap = np.float32(np.int32(count))
    return overlap * overlap * inverse


@numba.njit(cache=True)
def _offer_groups(
    counts, inverse, maxima, promising, sizes, size, largest_size, without, offset, indices, similarities
):
    """Put the best rows of the block into the result, which holds rows of lower numbers only."""
    k, groups = len(indices), len(maxima)
    # At most one of the rows that reach this is left out.
    reached_by_k = exceeded_by(maxima, k + 1, size, BISECTIONS)
    lowest = max(np.float32(reached_by_k * (1 - MARGIN)), _bound(similarities[-1], size, largest_size))
    number = 0
    for g in range(groups):
        if maxima[g] > lowest:
            promising[number] = g
            number += 1
    for start in range(0, len(sizes), groups):
        for i in range(number):
            row = start + promising[i]
            # Rows of the last group that do not exist have a count of 0.
            if _value(counts[row], inverse[row]) > lowest and row != without:
                overlap = np.float64(counts[row])
                if insert(np.sqrt(overlap * overlap / (sizes[row] * size)), row + offset, indices, similarities):
                    lowest = max(lowest, _bound(similarities[-1], size, largest_size))


@numba.njit(cache=True)
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


@numba.njit(cache=True)
def _bound(similarity, size, largest_size):
    """What overlap² / size of row exceeds, in float32, if the row follows in number and still belongs among the k best,
    of which the last has this similarity. Two different values are a share of at least 1 / (size² largest_size) apart;
    where rounding is less than that, equal values are told from larger ones, and need not be looked at."""
    margin = MARGIN if 4 * MARGIN * size * size * largest_size < 1 else -MARGIN
    return np.float32(similarity * similarity * size * (1 + margin))


@numba.njit(cache=True)
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
