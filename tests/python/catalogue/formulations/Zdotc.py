# SPDX-License-Identifier: Apache-2.0
"""Zdotc as exact sums of the four real products of each pair."""
import math

import numpy as np
from formulations.blas_memory import walk
from independent import array, tensor


def answer(entry, n, x, incx, y, incy, result):
    a, b = walk(array(x), n, incx), walk(array(y), n, incy)
    re = math.fsum([*(a.real * b.real), *(a.imag * b.imag)])
    im = math.fsum([*(a.real * b.imag), *(-a.imag * b.real)])
    return {"result": tensor(np.array([complex(re, im)]))}
