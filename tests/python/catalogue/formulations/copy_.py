# SPDX-License-Identifier: Apache-2.0
"""copy_ by NumPy's casts; bf16, which NumPy lacks, by adding half a unit to the bits of f32."""
import numpy as np
import torch


def bf16(x):
    bits = np.ascontiguousarray(x, np.float32).view(np.uint32).astype(np.uint64)
    even = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
    rounded = (even & 0xFFFFFFFF).astype(np.uint32).view(np.float32).reshape(x.shape)
    return np.where(np.isnan(x), np.nan, rounded)


def answer(entry, self, src, non_blocking=False):
    kind = self.dtype
    x = np.broadcast_to((src.to(torch.float64) if src.is_floating_point() else src).numpy(), tuple(self.shape))
    names = {torch.float16: np.float16, torch.float32: np.float32, torch.float64: np.float64}
    with np.errstate(all="ignore"):
        if kind == torch.bfloat16:
            y = bf16(x).astype(np.float64)
        elif kind in names:
            y = x.astype(names[kind]).astype(np.float64)
        elif kind == torch.bool:
            y = x != 0
        else:
            y = np.trunc(x).astype(np.int64)
    return {"self": torch.from_numpy(np.array(y, order="C"))}
