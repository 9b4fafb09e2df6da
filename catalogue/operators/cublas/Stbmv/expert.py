# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for cublasStbmv: one lane per row of the result walks the diagonals of the band."""
import torch
import triton
import triton.language as tl


@triton.jit
def band_kernel(out, a, x, n, k, lda, incx, UPPER: tl.constexpr, TRANS: tl.constexpr, UNIT: tl.constexpr,
                BLOCK: tl.constexpr):
    """out[i] = sum of op(A)[i, j] x[j] over the diagonals of the band, from the main one outwards."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros([BLOCK], tl.float32)
    first = 0
    if UNIT:  # the main diagonal counts as ones and is not read
        acc += tl.load(x + i * incx, mask=i < n, other=0.0)
        first = 1
    for away in range(first, k + 1):
        j = i + away if UPPER != TRANS else i - away
        inside = (i < n) & (j >= 0) & (j < n)  # cells of the band beside the matrix may hold anything
        column = i if TRANS else j
        row = k - away if UPPER else away
        acc += tl.load(a + row + column * lda, mask=inside, other=0.0) * tl.load(x + j * incx, mask=inside, other=0.0)
    tl.store(out + i, acc, mask=i < n)


@triton.jit
def copy_kernel(x, source, n, incx, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i * incx, tl.load(source + i, mask=i < n, other=0.0), mask=i < n)


def stbmv(uplo, trans, diag, n, k, A, lda, x, incx):
    if n <= 0:
        return
    if incx < 0:  # the first element is the last one in memory
        x = x[(n - 1) * -incx :]
    # Every row needs old elements of x that other rows replace: the result waits in memory of its own.
    result = torch.empty(n, dtype=torch.float32, device=x.device)
    grid = (triton.cdiv(n, 128),)
    band_kernel[grid](result, A, x, n, k, lda, incx, UPPER=uplo == 1, TRANS=trans != 0, UNIT=diag == 1, BLOCK=128)
    copy_kernel[grid](x, result, n, incx, BLOCK=128)
