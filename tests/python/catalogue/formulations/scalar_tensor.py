# SPDX-License-Identifier: Apache-2.0
"""scalar_tensor by Python's own numbers."""
import torch


def answer(entry, s, dtype=None, out=None):
    kind = out.dtype if out is not None else dtype or torch.float32
    if kind.is_floating_point:
        value = torch.tensor([float(s)], dtype=torch.float64).to(kind).to(torch.float64)[0]
    else:
        value = torch.tensor([bool(s) if kind == torch.bool else int(s)])[0]
    return {"return" if out is None else "out": value}
