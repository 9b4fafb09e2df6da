# SPDX-License-Identifier: Apache-2.0
"""Slot by slot, row by row and block by block."""
import math

import numpy as np
import torch


def weights(data, quant_type):
    """(scale, list of 32) for each block of one row's bytes."""
    size = 34 if quant_type == 8 else 18
    for start in range(0, len(data), size):
        block = data[start : start + size]
        d = float(block[:2].view(np.float16)[0])
        if quant_type == 8:
            yield d, block[2:].view(np.int8).astype(int)
        else:
            yield d, np.concatenate([block[2:] % 16, block[2:] // 16]).astype(int)  # without the 8 taken off


def quantised(x):
    """(f16 scale, codes, f16 sum) for each 32 of one row."""
    for start in range(0, len(x), 32):
        part = np.array(x[start : start + 32])
        d = np.float32(np.float32(max(abs(part))) / np.float32(127))
        codes = [0 if d == 0 else float(np.float32(v) / d) for v in part]
        codes = np.array([math.copysign(math.floor(abs(c)) + (abs(c) % 1 >= 0.5), c) for c in codes])
        yield float(np.float16(d)), codes, float(torch.tensor(math.fsum(part), dtype=torch.float64).to(torch.float16))


def dot(row, x, quant_type):
    terms = []
    for (dw, w), (dx, q, s) in zip(weights(row, quant_type), quantised(x)):
        terms.append(dw * dx * float(w @ q) if quant_type == 8 else dw * (dx * float(w @ q) - 8 * s))
    return math.fsum(terms)



def answer(entry, X, W, topk_ids, top_k, quant_type, row, tokens):
    found = []
    for t in range(tokens):
        x = X[t].to(torch.float64).tolist()
        found += [[dot(data, x, quant_type) for data in W[int(e)].numpy()] for e in topk_ids[t]]
    return {"return": torch.tensor(found, dtype=torch.float64)}
