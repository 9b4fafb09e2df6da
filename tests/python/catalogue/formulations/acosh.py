# SPDX-License-Identifier: Apache-2.0
"""torch's own function in fp64, integers widened first."""
import torch


def answer(entry, self, out=None):
    return {"return" if out is None else "out": torch.acosh(self.to(torch.float64))}
