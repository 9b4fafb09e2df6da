# SPDX-License-Identifier: Apache-2.0
"""self / other, rounded towards zero or down where a mode asks for it; written to self."""
import numpy as np
import torch

from kgbench.oracle import round_to


def div__Tensor(self, other):
    return {"self": real(self) / real(other)}


def div__Scalar(self, other):
    return {"self": real(self) / other}


def div__Tensor_mode(self, other, *, rounding_mode, dtypes):
    if rounding_mode is None:
        return div__Tensor(self, other)
    if rounding_mode == "floor":
        return {"self": floored(self, other)}
    if not self.is_floating_point():
        return {"self": torch.sign(self) * torch.sign(other) * (abs(self) // abs(other))}
    # What is truncated is the quotient in the arithmetic type: 6 / (1/3 in f32) is 18 there, just below 18 in f64.
    quotient = self / other
    return {"self": torch.trunc(quotient if dtypes["self"] == torch.float64 else round_to(quotient, torch.float32))}


def div__Scalar_mode(self, other, *, rounding_mode, dtypes):
    return div__Tensor_mode(self, torch.full_like(self, other), rounding_mode=rounding_mode, dtypes=dtypes)


def floored(a, b):
    """The largest whole number not above a / b, by the remainder: a - r is a multiple of b, r has the sign of b."""
    if not a.is_floating_point():
        q = torch.sign(a) * torch.sign(b) * (abs(a) // abs(b))
        return q - ((q * b != a) & ((a < 0) != (b < 0))).to(q.dtype)
    # NumPy's, since torch's is NaN where the quotient is beyond all f64 numbers.
    remainder = torch.from_numpy(np.asarray(np.fmod(a.numpy(), b.numpy())))
    q = torch.round((a - remainder) / b)
    q = torch.where((remainder != 0) & ((remainder < 0) != (b < 0)), q - 1, q)
    return torch.where(b == 0, a / b, q)


def real(x):
    return x.to(torch.float64)
