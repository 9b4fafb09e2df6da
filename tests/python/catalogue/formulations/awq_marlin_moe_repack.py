# SPDX-License-Identifier: Apache-2.0
"""Thread by thread, as a warp of the original builds its words."""
import numpy as np
import torch


def repacked(q, bits, wide):
    """Words of one expert's unpacked weights [K, N]."""
    size_k, size_n = q.shape
    height, width = (32, 32) if wide else (16, 64)
    order = ([0, 4, 1, 5, 2, 6, 3, 7] if wide else [0, 2, 4, 6, 1, 3, 5, 7]) if bits == 4 else None
    out = []
    for tile_k in range(0, size_k, height):
        for tile_n in range(0, size_n, width):
            for t in range(32):
                for w in range(4):
                    if wide:
                        n = tile_n + 16 * (w // 2) + 8 * (w % 2) + t // 4
                        rows = tile_k + 4 * (t % 4)
                        v = [q[rows + i, n] for i in range(4)] + [q[rows + 16 + i, n] for i in range(4)]
                    else:
                        n = tile_n + 16 * w + t // 4
                        rows = tile_k + 2 * (t % 4)
                        v = [q[rows + i, n + c] for c in (0, 8) for i in (0, 1, 8, 9)]
                    if bits == 4:
                        out.append(sum(int(v[i]) << (4 * j) for j, i in enumerate(order)))
                    else:
                        within = (0, 1, 2, 3) if wide else (0, 2, 1, 3)
                        for h in (0, 4):
                            out.append(sum(int(v[h + i]) << (8 * j) for j, i in enumerate(within)))
    return np.array(out, dtype=np.uint32).view(np.int32).reshape(size_k // 16, size_n * bits // 2)


def answer(entry, b_q_weight, perm, size_k, size_n, num_bits, is_a_8bit):
    pack = 32 // num_bits
    found = []
    for words in b_q_weight.numpy().view(np.uint32):
        q = np.zeros((size_k, size_n), np.int64)
        for n in range(size_n):
            e = n % pack  # even columns of a group come first, then the odd ones
            place = e // 2 if e % 2 == 0 else pack // 2 + e // 2
            q[:, n] = (words[:, n // pack] >> (num_bits * place)) & (2**num_bits - 1)
        found.append(repacked(q, num_bits, is_a_8bit))
    return {"return": torch.from_numpy(np.stack(found))}
