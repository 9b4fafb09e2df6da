# SPDX-License-Identifier: Apache-2.0
"""Pair by pair, by a softmax over two numbers."""
import math

import torch


def answer(entry, output, prefix_output, prefix_lse, suffix_output, suffix_lse, output_lse):
    tokens, heads, _ = output.shape
    found, sums = output.to(torch.float64).clone(), torch.zeros(prefix_lse.shape, dtype=torch.float64)
    for t in range(tokens):
        for h in range(heads):
            a, b = (-math.inf if v == math.inf else v for v in (float(prefix_lse[h, t]), float(suffix_lse[h, t])))
            p, s = prefix_output[t, h].to(torch.float64), suffix_output[t, h].to(torch.float64)
            if a == -math.inf:
                found[t, h], sums[h, t] = (p if b == -math.inf else s), b
            else:
                share = 1 / (1 + math.exp(b - a)) if b - a < 700 else 0.0
                other = 1 / (1 + math.exp(a - b)) if a - b < 700 else 0.0
                found[t, h] = share * p + other * s
                sums[h, t] = max(a, b) + math.log1p(math.exp(-abs(a - b)))
    return {"output": found} | ({} if output_lse is None else {"output_lse": sums})
