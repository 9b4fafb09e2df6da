# SPDX-License-Identifier: Apache-2.0
"""Element by element in integers."""
import torch


def answer(entry, a, b, scale_a, scale_b, out_dtype, azp_adj, azp, bias):
    found = torch.zeros((a.shape[0], b.shape[1]), dtype=torch.float64)
    columns = b.t().tolist()
    for i, row in enumerate(a.tolist()):
        for j, column in enumerate(columns):
            whole = sum(x * y for x, y in zip(row, column)) - int(azp_adj[j]) * (1 if azp is None else int(azp[i]))
            by = float(scale_a.flatten()[i % scale_a.numel()]) * float(scale_b.flatten()[j % scale_b.numel()])
            found[i, j] = by * whole + (0 if bias is None else float(bias[j]))
    return {"return": found}
