# SPDX-License-Identifier: Apache-2.0
"""resolve_conj by NumPy."""
import numpy as np
import torch


def answer(entry, self):
    if entry == "resolve_conj":
        return {}
    return {"return": torch.from_numpy(np.array(np.conj(self.to(torch.complex128).numpy()), order="C"))}
