# SPDX-License-Identifier: Apache-2.0
"""self ** exponent in fp64; integers by squaring, wrapping in their type, negative exponents as 1 / self cut to integers."""
import torch

from kgbench.oracle import Expected

# Device functions in f32 flush subnormals to zero: with this magnitude the bound is at least 2^-126.
FLUSHED = 2.0**-103


def power(self, exponent, dtypes):
    kind = torch.result_type(*[torch.empty(v.shape, dtype=dtypes[k]) if isinstance(v, torch.Tensor) else v
                               for k, v in (("self", self), ("exponent", exponent))])
    if not kind.is_floating_point:
        return whole_power(torch.as_tensor(self), torch.as_tensor(exponent), kind)
    x = torch.as_tensor(self, dtype=torch.float64)
    y = torch.as_tensor(exponent, dtype=torch.float64)
    value = torch.pow(x, y)
    slack = 4.0
    if not isinstance(exponent, torch.Tensor):  # the number is rounded to f32
        slack = slack + torch.nan_to_num(abs(y * torch.log(abs(x))), 0, 0, 0)
    if not isinstance(self, torch.Tensor):
        slack = slack + torch.nan_to_num(abs(y), 0, 0, 0)
    return Expected(value, magnitude=slack * abs(value) + FLUSHED)


def whole_power(x, y, kind):
    x, y = torch.broadcast_tensors(x.to(torch.int64), y.to(torch.int64))
    result, square, left = torch.ones_like(x), x.clone(), torch.clamp(y, min=0)
    while bool((left > 0).any()):
        result = torch.where(left % 2 == 1, result * square, result)
        square, left = square * square, left // 2
    odd = torch.where(y % 2 != 0, x, torch.ones_like(x))
    result = torch.where(y < 0, torch.where(x == 1, 1, torch.where(x == -1, odd, 0)), result)
    return result.to(kind)


def pow_Tensor_Tensor(self, exponent, *, dtypes):
    return power(self, exponent, dtypes)


def pow_Tensor_Scalar(self, exponent, *, dtypes):
    return power(self, exponent, dtypes)


def pow_Scalar(self, exponent, *, dtypes):
    return power(self, exponent, dtypes)


def pow_Tensor_Tensor_out(self, exponent, *, out, dtypes):
    return {"out": power(self, exponent, dtypes)}


def pow_Tensor_Scalar_out(self, exponent, *, out, dtypes):
    return {"out": power(self, exponent, dtypes)}


def pow_Scalar_out(self, exponent, *, out, dtypes):
    return {"out": power(self, exponent, dtypes)}
