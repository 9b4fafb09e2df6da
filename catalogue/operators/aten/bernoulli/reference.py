# SPDX-License-Identifier: Apache-2.0
"""The probability of a one, element by element: samples are judged by statistics, not by one library's stream."""
import torch

from kgbench.oracle import Expected


def bernoulli(self, *, generator=None):
    return Expected(self, rule="bernoulli")


def bernoulli_out(self, *, generator=None, out):
    return {"out": bernoulli(self)}


def bernoulli_p(self, p, *, generator=None):
    return Expected(torch.full(self.shape, float(p), dtype=torch.float64), rule="bernoulli")


def bernoulli_Tensor(self, p, *, generator=None):
    return Expected(p.to(torch.float64).expand(self.shape), rule="bernoulli")


def bernoulli_float_out(self, p=0.5, *, generator=None, out):
    return {"out": bernoulli_p(self, p)}
