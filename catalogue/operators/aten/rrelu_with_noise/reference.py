# SPDX-License-Identifier: Apache-2.0
"""Bounds of every element: a slope drawn evenly from [lower, upper] where x <= 0, 1 elsewhere."""
import torch

from kgbench.oracle import Expected


def rrelu_with_noise(self, noise, lower=0.125, upper=1 / 3, training=False, generator=None):
    if not training:
        value = torch.where(self <= 0, self * ((lower + upper) / 2), self)
        return {"return": even(value, value), "noise": even(noise, noise)}
    below = self <= 0
    low, high = torch.where(below, lower, 1.0), torch.where(below, upper, 1.0)
    return {"return": even(self * low, self * high), "noise": even(low, high)}


def rrelu_with_noise_out(self, noise, lower=0.125, upper=1 / 3, training=False, generator=None, *, out):
    found = rrelu_with_noise(self, noise, lower, upper, training)
    return {"out": found["return"], "noise": found["noise"]}


def even(low, high):
    """Uniform from low to high; where they are equal the element is no sample."""
    return Expected(low.to(torch.float64), magnitude=high.to(torch.float64), rule="uniform")
