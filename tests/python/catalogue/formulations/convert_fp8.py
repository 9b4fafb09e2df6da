# SPDX-License-Identifier: Apache-2.0
"""Codes by search among all of them, and by their fields."""
import numpy as np
import torch

# Magnitudes of the codes 0 .. 126, ascending.
CODES = np.array([(c % 8) * 2.0**-9 if c < 8 else (1 + c % 8 / 8) * 2.0 ** (c // 8 - 7) for c in range(127)])


def code(x):
    size = min(abs(x), 448.0)
    distance = abs(CODES - size)
    best = [int(c) for c in np.flatnonzero(distance == distance.min())]
    return min(best, key=lambda c: c % 2) + (128 if np.signbit(x) else 0)


def answer(entry, output, input, scale, kv_dtype):
    if input.dtype == torch.uint8:
        bytes_ = input.numpy().astype(np.int64)
        values = np.where(bytes_ >= 128, -1.0, 1.0) * np.append(CODES, np.nan)[bytes_ % 128] * scale
        return {"output": torch.from_numpy(values.reshape(output.shape))}
    values = [code(v / scale) for v in input.to(torch.float64).flatten().tolist()]
    return {"output": torch.tensor(values, dtype=torch.uint8).reshape(output.shape)}
