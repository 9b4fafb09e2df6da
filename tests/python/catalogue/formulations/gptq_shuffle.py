# SPDX-License-Identifier: Apache-2.0
"""Word by word as bit strings."""
import numpy as np
import torch


def answer(entry, q_weight, q_perm, bit):
    words, pack = q_weight.numpy().view(np.uint32), 32 // bit
    source = q_perm.tolist() or list(range(len(words) * pack))
    found = np.zeros_like(words)
    for r in range(len(words)):
        for i in range(pack):
            k = source[r * pack + i]
            field = (words[k // pack] >> np.uint32(bit * (k % pack))) & np.uint32(2**bit - 1)
            place = i if bit == 8 else i // 2 + 4 * (i % 2)
            found[r] |= field << np.uint32(bit * place)
    return {"q_weight": torch.from_numpy(found.view(np.int32))}
