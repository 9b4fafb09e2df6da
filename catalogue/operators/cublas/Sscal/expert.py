# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for cublasSscal: element k of the vector lies at k times its increment."""
import triton
import triton.language as tl


@triton.jit
def scal_kernel(x, alpha: "fp64", n, incx, BLOCK: tl.constexpr):
    k = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + k * incx, mask=k < n)
    tl.store(x + k * incx, value * tl.full([BLOCK], alpha, tl.float32), mask=k < n)


def sscal(n, alpha, x, incx):
    if n > 0 and incx > 0:
        scal_kernel[(triton.cdiv(n, 1024),)](x, alpha, n, incx, BLOCK=1024)
