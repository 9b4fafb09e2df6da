# SPDX-License-Identifier: Apache-2.0
"""The largest whole number not above self / other, by the remainder, which is exact."""
import numpy as np
import torch


def floor_divide(self, other):
    kind = torch.result_type(self, other)
    a = self.to(kind if not kind.is_floating_point else torch.float64)
    b = torch.as_tensor(other, dtype=a.dtype)
    return floored(*torch.broadcast_tensors(a, b))


def floor_divide_Scalar(self, other):
    return floor_divide(self, other)


def floor_divide_out(self, other, *, out):
    return {"out": floor_divide(self, other)}


def floor_divide_Scalar_out(self, other, *, out):
    return {"out": floor_divide(self, other)}


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
