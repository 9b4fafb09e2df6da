# SPDX-License-Identifier: Apache-2.0
"""Column-major memory and increments as NumPy views, for the second formulations of the cuBLAS operators."""
import numpy as np
from numpy.lib.stride_tricks import as_strided


def columns(flat, rows, count, ld, first=0):
    """A view of the column-major matrix that begins at element `first` of `flat`."""
    size = flat.itemsize
    if rows <= 0 or count <= 0:
        return np.zeros((max(rows, 0), max(count, 0)), flat.dtype)
    assert first + (count - 1) * ld + rows <= flat.size, "the matrix does not fit its memory"
    return as_strided(flat[first:], (rows, count), (size, size * ld))


def operand(flat, trans, rows, count, ld, first=0):
    """op(X), rows x count, from memory; trans is a letter or cuBLAS's number (0 N, 1 T, 2 C)."""
    letter = trans if isinstance(trans, str) else "NTC"[trans]
    if letter == "N":
        return columns(flat, rows, count, ld, first)
    stored = columns(flat, count, rows, ld, first).T
    return stored.conj() if letter == "C" else stored


def walk(flat, n, inc, first=0):
    """A view of the vector's elements in their order; from the last one in memory when inc is negative."""
    if n <= 0:
        return flat[:0]
    start = first if inc >= 0 else first + (n - 1) * -inc
    assert first + (n - 1) * abs(inc) < flat.size, "the vector does not fit its memory"
    return as_strided(flat[start:], (n,), (flat.itemsize * inc,))


def halves(square, uplo, unit=False):
    """The named triangle (0 lower, 1 upper) with zeros elsewhere, element by element: the rest may be NaN."""
    n = len(square)
    kept = np.zeros_like(square)
    for j in range(n):
        for i in range(j + 1) if uplo else range(j, n):
            kept[i, j] = 1 if unit and i == j else square[i, j]
    return kept


def mirrored(square, uplo):
    """The symmetric matrix that a triangle names."""
    kept = halves(square, uplo)
    return kept + kept.T - np.diag(np.diag(kept))


def unbanded(flat, uplo, n, k, lda, unit=False):
    """The dense triangle of a band matrix: diagonal by diagonal, so that cells outside are not looked at."""
    dense = np.zeros((n, n))
    for away in range(min(k, n - 1) + 1):
        for j in range(n - away):
            row, column = (j, j + away) if uplo else (j + away, j)
            inside = (k - away if uplo else away) + column * lda
            dense[row, column] = 1 if unit and away == 0 else flat[inside]
    return dense
