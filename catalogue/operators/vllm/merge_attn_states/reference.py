# SPDX-License-Identifier: Apache-2.0
"""The two outputs weighted by exp(lse) over the sum of both; lse is [heads, tokens] and +inf counts as -inf."""
import torch

from kgbench.oracle import Expected

# An exponential below f32's normal range may be flushed to zero: 2^-126 in units of f32's roundoff 2^-24.
FLUSHED = 2.0**-102


def merge_attn_states(output, prefix_output, prefix_lse, suffix_output, suffix_lse, output_lse=None):
    lse = torch.stack([prefix_lse, suffix_lse])
    lse = torch.where(lse == torch.inf, -torch.inf, lse)
    top = lse.amax(0)
    none = top == -torch.inf  # neither part has a key
    weight = torch.exp(lse - torch.where(none, 0, top))
    total = weight.sum(0)
    share = torch.where(none, torch.tensor([1.0, 0.0]).view(2, 1, 1).to(total), weight / total)
    distance = (lse - top).masked_fill(torch.isinf(lse), 0)  # exponents round, and their sums
    per_row = lambda x: x.transpose(-1, -2)[..., None]
    parts = torch.stack([prefix_output, suffix_output]) * per_row(share)
    parts = torch.where(per_row(share) == 0, torch.zeros_like(parts), parts)
    slack = per_row(2 - distance.amin(0)) * abs(parts).sum(0) + FLUSHED * (abs(prefix_output) + abs(suffix_output))
    result = {"output": Expected(parts.sum(0), magnitude=slack)}
    if output_lse is not None:
        value = torch.where(none, top, torch.log(total) + top)
        result["output_lse"] = Expected(value, magnitude=torch.where(none, torch.inf, abs(top) + 1))
    return result
