# SPDX-License-Identifier: Apache-2.0
"""out[i, j] = sum over k of self[i, k] * mat2[k, j]; the magnitude is the same sum of absolute values."""
from kgbench.oracle import Expected


def underflow(self):
    """Each product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff."""
    return self.shape[-1] * 2.0**-126


def mm(self, mat2):
    return Expected(self @ mat2, magnitude=abs(self) @ abs(mat2) + underflow(self))


def mm_out(self, mat2, *, out):
    return {"out": mm(self, mat2)}


def mm_dtype(self, mat2, out_dtype):
    return Expected(self @ mat2, magnitude=abs(self) @ abs(mat2) + underflow(self), dtype=out_dtype)
