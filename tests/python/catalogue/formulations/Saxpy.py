# SPDX-License-Identifier: Apache-2.0
"""Saxpy element by element."""
from independent import array, tensor


def answer(entry, n, alpha, x, incx, y, incy):
    source, out = array(x), array(y).copy()
    at_x, at_y = (0 if inc > 0 else (1 - n) * inc for inc in (incx, incy))
    for _ in range(n):
        out[at_y] += alpha * source[at_x]
        at_x, at_y = at_x + incx, at_y + incy
    return {"y": tensor(out)}
