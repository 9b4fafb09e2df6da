# SPDX-License-Identifier: Apache-2.0
"""The mean of every element: samples are judged by the Poisson law, not by one library's stream."""
from kgbench.oracle import Expected


def poisson(self, generator=None):
    return Expected(self, rule="poisson")


def poisson_out(self, generator=None, *, out):
    return {"out": poisson(self)}
