# SPDX-License-Identifier: Apache-2.0
"""(sum |x1 - x2 + eps|^p)^(1/p) over the last dimension; the largest for p = inf."""
import math

import torch

from kgbench.oracle import Expected


def norm(d, p, keepdim):
    if p == math.inf:
        return d.amax(-1, keepdim=keepdim)
    return (d**p).sum(-1, keepdim=keepdim) ** (1 / p)


def pairwise_distance(x1, x2, p=2.0, eps=1e-06, keepdim=False):
    apart = x1 - x2
    return Expected(norm(abs(apart + eps), p, keepdim), magnitude=norm(abs(apart) + abs(eps), p, keepdim))
