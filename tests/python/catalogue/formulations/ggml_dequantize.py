# SPDX-License-Identifier: Apache-2.0
"""Block by block, as the packed bytes say, in f16."""
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


def answer(entry, W, quant_type, m, n, dtype):
    found = []
    for d, w in weights(W.reshape(-1).numpy(), quant_type):
        whole = w if quant_type == 8 else w - 8
        with np.errstate(over="ignore"):
            found.append(whole.astype(np.float16) * np.float16(d))
    return {"return": torch.from_numpy(np.concatenate(found).astype(np.float64)).reshape(m, n)}
