# SPDX-License-Identifier: Apache-2.0
"""Sums over k of self[..., i, k] * other[..., k, j]; a vector is a row on the left and a column on the right."""
from kgbench.oracle import Expected

# Each product may fall below f32's subnormals and lose 2^-150: 2^-126 in units of f32's roundoff.
UNDERFLOW = 2.0**-126


def product(self, other):
    left = self.unsqueeze(0) if self.dim() == 1 else self
    right = other.unsqueeze(1) if other.dim() == 1 else other
    shape = [max(n, m) if n * m else 0 for n, m in zip(
        [1] * (right.dim() - left.dim()) + list(left.shape[:-2]), [1] * (left.dim() - right.dim()) + list(right.shape[:-2]))]
    batches = 1
    for n in shape:
        batches *= n
    flat = lambda t: t.expand(*shape, *t.shape[-2:]).reshape(batches, *t.shape[-2:])
    out = flat(left).bmm(flat(right)).reshape(*shape, left.shape[-2], right.shape[-1])
    out = out.squeeze(-1) if other.dim() == 1 else out
    return out.squeeze(-1 if other.dim() == 1 else -2) if self.dim() == 1 else out


def matmul(self, other):
    return Expected(product(self, other), magnitude=product(abs(self), abs(other)) + self.shape[-1] * UNDERFLOW)


def matmul_out(self, other, *, out):
    return {"out": matmul(self, other)}
