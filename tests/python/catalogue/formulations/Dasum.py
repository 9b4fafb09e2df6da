# SPDX-License-Identifier: Apache-2.0
"""Dasum as an exact sum."""
import math

import numpy as np
from formulations.blas_memory import walk
from independent import array, tensor


def answer(entry, n, x, incx, result):
    return {"result": tensor(np.array([math.fsum(abs(walk(array(x), n, incx)))]))}
