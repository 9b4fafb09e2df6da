# SPDX-License-Identifier: Apache-2.0
"""Digamma by recurrence and its asymptotic series; higher orders as Hurwitz's zeta function by Euler and Maclaurin."""
import math

import torch

from kgbench.oracle import Expected

# B(2 j) for j = 1 .. 8.
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
FAR = 25  # where the series begin: 1 / 25^16 is below fp64


def polygamma(n, self):
    x = self.to(torch.float64)
    value, size = digamma(x) if n == 0 else derivative(n, x)
    return Expected(value, magnitude=size)


def polygamma_out(n, self, *, out):
    return {"out": polygamma(n, self)}


def digamma(x):
    reflected = x < 0
    y = torch.where(reflected, 1 - x, x)
    total, size = torch.zeros_like(y), torch.zeros_like(y)
    for _ in range(FAR):
        step = torch.where(y < FAR, 1 / y, 0.0)
        total, size, y = total - step, size + step, torch.where(y < FAR, y + 1, y)
    series = sum(b / (2 * j * y ** (2 * j)) for j, b in enumerate(BERNOULLI, 1))
    value = total + torch.log(y) - 0.5 / y - series
    size = 4 * (size + abs(torch.log(y)))
    part = x - torch.round(x)  # exact; cot(pi x) has period 1
    cot = math.pi / torch.tan(math.pi * part)
    cot = torch.where(part == 0, torch.nan, cot)  # a pole
    value = torch.where(reflected, value - cot, value)
    size = torch.where(reflected, size + 4 * abs(cot) + abs(x) * (math.pi / torch.sin(math.pi * part)) ** 2, size)
    zero = x == 0
    return torch.where(zero, -1 / x, value), torch.where(zero, torch.inf, size)


def derivative(n, x):
    s, y = n + 1, torch.where(x == 0, 0.0, x)
    total, size = torch.zeros_like(y), torch.zeros_like(y)
    for _ in range(FAR + 10):  # inputs begin at -6
        term = torch.where(y < FAR, 1 / y**s, 0.0)
        total, size, y = total + term, size + abs(term), torch.where(y < FAR, y + 1, y)
    tail = y ** (1 - s) / (s - 1) + 0.5 * y**-s
    rising = float(s)  # s (s + 1) ... (s + 2 j - 2)
    for j, b in enumerate(BERNOULLI, 1):
        tail = tail + b / math.factorial(2 * j) * rising * y ** (1 - s - 2 * j)
        rising *= (s + 2 * j - 1) * (s + 2 * j)
    sign = 1.0 if n % 2 else -1.0
    value, size = sign * math.factorial(n) * (total + tail), (2 * n + 6) * math.factorial(n) * (size + abs(tail))
    if n == 1:  # by reflection, pi x is rounded
        angle = math.pi * (x - torch.round(x))
        slope = 2 * math.pi**3 * abs(torch.cos(angle) / torch.sin(angle) ** 3)
        size = torch.where(x < 0, size + 4 * (math.pi / torch.sin(angle)) ** 2 + abs(x) * slope, size)
    return value, size
