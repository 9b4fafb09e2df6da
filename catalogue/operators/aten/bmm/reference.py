# SPDX-License-Identifier: Apache-2.0
"""out[b, i, j] = sum over k of self[b, i, k] * mat2[b, k, j]; the magnitude is the same sum of absolute values."""
from kgbench.oracle import Expected


def bmm(self, mat2):
    return Expected(self @ mat2, magnitude=abs(self) @ abs(mat2))


def bmm_out(self, mat2, *, out):
    return {"out": bmm(self, mat2)}


def bmm_dtype(self, mat2, out_dtype):
    return Expected(self @ mat2, magnitude=abs(self) @ abs(mat2), dtype=out_dtype)
