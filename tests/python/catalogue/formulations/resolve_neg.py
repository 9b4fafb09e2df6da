# SPDX-License-Identifier: Apache-2.0
"""resolve_neg by NumPy."""
import numpy as np
import torch


def answer(entry, self):
    if entry == "resolve_neg":
        return {}
    if entry == "resolve_neg_imag":
        return {"return": torch.from_numpy(np.array(np.conj(self.to(torch.complex128).numpy()).imag, order="C"))}
    return {"return": torch.from_numpy(np.array(np.negative(self.to(torch.float64).numpy()), order="C"))}
