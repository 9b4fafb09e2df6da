# SPDX-License-Identifier: Apache-2.0
"""Sdgmm as a product with a dense diagonal matrix's elements, one element of C after the other."""
from independent import array, tensor


def answer(entry, mode, m, n, A, lda, x, incx, C, ldc):
    a, factors, out = array(A), array(x), array(C).copy()
    length = m if mode == 0 else n
    for j in range(n):
        for i in range(m):
            k = i if mode == 0 else j
            at = k * incx if incx >= 0 else (length - 1 - k) * -incx
            out[i + j * ldc] = a[i + j * lda] * factors[at]
    return {"C": tensor(out)}
