# SPDX-License-Identifier: Apache-2.0
"""Weight by weight from the words, then exact sums."""
import math

import numpy as np
import torch


def answer(entry, a, b_q_weight, b_gptq_qzeros, b_gptq_scales, b_g_idx, use_exllama, use_v2_format, bit):
    x, scales = a.to(torch.float64).numpy(), b_gptq_scales.to(torch.float64).numpy()
    words, zeros, pack = b_q_weight.numpy().view(np.uint32), b_gptq_qzeros.numpy().view(np.uint32), 32 // bit
    k, n = x.shape[1], words.shape[1]
    weight = np.zeros((k, n))
    for row in range(k):
        place = row % pack
        if use_exllama and bit == 4:
            place = place // 2 + 4 * (place % 2)
        group = row // (k // len(scales)) if use_exllama else int(b_g_idx[row])
        for column in range(n):
            q = int(words[row // pack, column]) >> (bit * place) & (2**bit - 1)
            z = int(zeros[group, column // pack]) >> (bit * (column % pack)) & (2**bit - 1)
            weight[row, column] = (q - z - (0 if use_v2_format else 1)) * scales[group, column]
    if use_exllama and len(b_g_idx):
        x = x[:, b_g_idx.numpy()]
    return {"return": torch.tensor([[math.fsum(r * c) for c in weight.T] for r in x], dtype=torch.float64)}
