# SPDX-License-Identifier: Apache-2.0
"""A product with SciPy's Hadamard matrix."""
import scipy.linalg
import torch


def answer(entry, x, inplace):
    size = x.shape[-1]
    matrix = torch.from_numpy(scipy.linalg.hadamard(size).astype(float))
    return {"x": x.to(torch.float64) @ matrix / size**0.5}
