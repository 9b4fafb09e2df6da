# SPDX-License-Identifier: Apache-2.0
"""Fields of every output word by Marlin's index formula: tiles of 16 x 64 weights, or 32 x 32 for 8-bit activations."""
import torch

from kgbench.oracle import Expected

# Where AWQ packs the columns of a word: column e of a group is in field INTERLEAVE[e].
INTERLEAVE = {4: [0, 4, 1, 5, 2, 6, 3, 7], 8: [0, 2, 1, 3]}


def fields(words, bits):
    """Unsigned fields of `bits` bits of each int32 word, lowest first, in a new last dimension."""
    shifts = torch.arange(0, 32, bits)
    return ((words.to(torch.int64) & 0xFFFFFFFF)[..., None] >> shifts) & (2**bits - 1)


def marlin_order(size_k, size_n, bits, wide):
    """(k, n) of every field of every output word: two tensors [words, 32 // bits]."""
    word, j = torch.meshgrid(torch.arange(size_k * size_n * bits // 32), torch.arange(32 // bits), indexing="ij")
    words_per_tile = 1024 * bits // 32
    tile, r = word // words_per_tile, word % words_per_tile
    half = 0 if bits == 4 else r % 2  # with 8 bits two words hold what one holds with 4
    r = r if bits == 4 else r // 2
    t, w = r // 4, r % 4
    if wide:
        v = (j % 2) * 4 + j // 2 if bits == 4 else 4 * half + j
        k_tile, n_tile = tile // (size_n // 32), tile % (size_n // 32)
        n = 32 * n_tile + 16 * (w // 2) + 8 * (w % 2) + t // 4
        return 32 * k_tile + 4 * (t % 4) + v % 4 + 16 * (v // 4), n
    v = (j % 4) * 2 + j // 4 if bits == 4 else 4 * half + (j % 2) * 2 + j // 2
    k_tile, n_tile = tile // (size_n // 64), tile % (size_n // 64)
    n = 64 * n_tile + 16 * w + t // 4 + 8 * (v // 4)
    return 16 * k_tile + 2 * (t % 4) + v % 2 + 8 * (v // 2 % 2), n


def packed(values, bits):
    """Fields in the last dimension to signed 32-bit words."""
    words = (values << torch.arange(0, 32, bits)).sum(-1)
    return torch.where(words >= 2**31, words - 2**32, words)


def awq_marlin_moe_repack(b_q_weight, perm, size_k, size_n, num_bits, is_a_8bit=False):
    experts = b_q_weight.shape[0]
    k, n = marlin_order(size_k, size_n, num_bits, is_a_8bit)
    weights = fields(b_q_weight, num_bits)[..., INTERLEAVE[num_bits]].reshape(experts, size_k, size_n)
    out = packed(weights[:, k, n], num_bits).reshape(experts, size_k // 16, size_n * num_bits // 2)
    return Expected(out, dtype=torch.int32)
