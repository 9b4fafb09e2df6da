# SPDX-License-Identifier: Apache-2.0
"""result = sum of |x[k]| over the elements of a vector with an increment."""
import torch

from kgbench.oracle import Expected


def dasum(n, x, incx, result):
    total = abs(x[torch.arange(max(n, 0)) * incx]).sum().reshape(1)
    return {"result": Expected(total, magnitude=total)}
