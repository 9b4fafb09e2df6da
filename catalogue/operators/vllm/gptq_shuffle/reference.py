# SPDX-License-Identifier: Apache-2.0
"""Row k becomes the unpacked row perm[k]; with 4 bits a word's even fields then stand before its odd ones."""
import torch

ORDER = {4: [0, 2, 4, 6, 1, 3, 5, 7], 8: [0, 1, 2, 3]}


def gptq_shuffle(q_weight, q_perm, bit):
    shifts, rows = torch.arange(0, 32, bit)[:, None], q_weight.shape[0]
    fields = ((q_weight.to(torch.int64) & 0xFFFFFFFF)[:, None] >> shifts) & (2**bit - 1)  # [rows, fields, N]
    if q_perm.numel():
        fields = fields.reshape(-1, q_weight.shape[1])[q_perm.to(int)].reshape(rows, 32 // bit, -1)
    words = (fields[:, ORDER[bit]] << shifts).sum(1)
    return {"q_weight": torch.where(words >= 2**31, words - 2**32, words)}
