# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::mm: one program per tile of the output, accumulated in f32 with IEEE products."""
import torch
import triton
import triton.language as tl


@triton.jit
def mm_kernel(out, a, b, m, n, k, stride_om, stride_on, stride_am, stride_ak, stride_bk, stride_bn,
              COMPUTE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    # Programs walk GROUP tiles down before the next column, so that neighbours in time share tiles of b in cache.
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(m, BM)
    tiles_n = tl.cdiv(n, BN)
    first = pid // (GROUP * tiles_n) * GROUP
    height = min(tiles_m - first, GROUP)
    tile_m = first + pid % (GROUP * tiles_n) % height
    tile_n = pid % (GROUP * tiles_n) // height

    rows = tile_m.to(tl.int64) * BM + tl.arange(0, BM)
    cols = tile_n.to(tl.int64) * BN + tl.arange(0, BN)
    acc = tl.zeros([BM, BN], COMPUTE)
    for start in range(0, k, BK):
        inner = start + tl.arange(0, BK).to(tl.int64)
        # Both masks matter: a row or column out of range, and the ragged end of k, must add zeros.
        tile_a = tl.load(a + rows[:, None] * stride_am + inner[None, :] * stride_ak,
                         mask=(rows < m)[:, None] & (inner < k)[None, :], other=0.0)
        tile_b = tl.load(b + inner[:, None] * stride_bk + cols[None, :] * stride_bn,
                         mask=(inner < k)[:, None] & (cols < n)[None, :], other=0.0)
        acc = tl.dot(tile_a, tile_b, acc, input_precision="ieee", out_dtype=COMPUTE)  # never TF32
    tl.store(out + rows[:, None] * stride_om + cols[None, :] * stride_on, acc.to(out.dtype.element_ty),
             mask=(rows < m)[:, None] & (cols < n)[None, :])


def launch(self, mat2, out):
    (m, k), n = self.shape, mat2.shape[1]
    if m == 0 or n == 0:
        return out
    # Tiles of 64 only where they keep a hundred multiprocessors busy, but at least the 16 that tensor cores ask for.
    size = lambda extent, most: min(most, max(16, triton.next_power_of_2(extent)))
    most = 64 if triton.cdiv(m, 64) * triton.cdiv(n, 64) >= 100 or k > 2048 else 32 if m * n >= 2**16 else 16
    bm, bn, bk = size(m, most), size(n, most), size(k, 128 if self.element_size() == 2 else 32)
    mm_kernel[(triton.cdiv(m, bm) * triton.cdiv(n, bn),)](
        out, self, mat2, m, n, k, *out.stride(), *self.stride(), *mat2.stride(),
        COMPUTE=tl.float64 if self.dtype == torch.float64 else tl.float32, BM=bm, BN=bn, BK=bk, GROUP=8)
    return out


def mm(self, mat2):
    out = torch.empty((self.shape[0], mat2.shape[1]), dtype=self.dtype, device=self.device)
    return launch(self, mat2, out)


def mm_out(self, mat2, *, out):
    return launch(self, mat2, out)


def mm_dtype(self, mat2, out_dtype):
    out = torch.empty((self.shape[0], mat2.shape[1]), dtype=out_dtype, device=self.device)
    return launch(self, mat2, out)
