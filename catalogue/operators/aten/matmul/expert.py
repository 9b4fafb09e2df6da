# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::matmul: one program per tile of one batch, accumulated in f32 with IEEE products."""
import torch
import triton
import triton.language as tl


@triton.jit
def offsets(index, shape, strides):
    """Element offsets of linear indices into the dimensions `shape`, which the operand walks with `strides`."""
    at = index * 0
    rest = index
    for d in tl.static_range(len(shape) - 1, 0, -1):
        at += (rest % shape[d]) * strides[d]
        rest = rest // shape[d]
    return at + rest * strides[0]


@triton.jit
def matmul_kernel(out, a, b, m, n, k, batch_shape, out_batch, a_batch, b_batch, stride_om, stride_on, stride_am,
                  stride_ak, stride_bk, stride_bn, COMPUTE: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, GROUP: tl.constexpr):
    batch = tl.program_id(1).to(tl.int64)
    out += offsets(batch, batch_shape, out_batch)
    a += offsets(batch, batch_shape, a_batch)
    b += offsets(batch, batch_shape, b_batch)
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


def collapse(shape, *strides):
    """Drops dimensions of size 1 and merges neighbours that every operand walks as one; never returns rank 0."""
    merged = []
    for size, *steps in zip(shape, *strides):
        if size == 1:
            continue
        if merged and all(p == s * size for p, s in zip(merged[-1][1:], steps)):
            merged[-1] = [merged[-1][0] * size, *steps]
        else:
            merged.append([size, *steps])
    # A step of 0 where nothing is walked: Triton then knows that a batch starts as aligned as the tensor.
    columns = zip(*(merged or [[1] + [0] * len(strides)]))
    return [tuple(column) for column in columns]


def launch(self, other, out):
    # Views throughout: vectors become matrices, batches are broadcast by strides of zero.
    a = self.unsqueeze(0) if self.dim() == 1 else self
    b = other.unsqueeze(1) if other.dim() == 1 else other
    (m, k), n = a.shape[-2:], b.shape[-1]
    lead = torch.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = a.expand(*lead, m, k), b.expand(*lead, k, n)
    if out is None:
        shape = (*lead, *((m,) if self.dim() > 1 else ()), *((n,) if other.dim() > 1 else ()))
        out = torch.empty(shape, dtype=self.dtype, device=self.device)
    y = out.unsqueeze(-1) if other.dim() == 1 else out
    y = y.unsqueeze(-2) if self.dim() == 1 else y
    if out.numel() == 0:
        return out
    batch_shape, y_batch, a_batch, b_batch = collapse(lead, y.stride()[:-2], a.stride()[:-2], b.stride()[:-2])
    # Tiles of 64 only where they keep a hundred multiprocessors busy, but at least the 16 that tensor cores ask for.
    size = lambda extent, most: min(most, max(16, triton.next_power_of_2(extent)))
    most = 64 if triton.cdiv(m, 64) * triton.cdiv(n, 64) >= 100 or k > 2048 else 32 if m * n >= 2**16 else 16
    bm, bn, bk = size(m, most), size(n, most), size(k, 64 if self.element_size() == 2 else 32)
    matmul_kernel[(triton.cdiv(m, bm) * triton.cdiv(n, bn), y.numel() // (m * n))](
        y, a, b, m, n, k, batch_shape, y_batch, a_batch, b_batch, *y.stride()[-2:], *a.stride()[-2:],
        *b.stride()[-2:], COMPUTE=tl.float64 if self.dtype == torch.float64 else tl.float32,
        BM=bm, BN=bn, BK=bk, GROUP=8)
    return out


def matmul(self, other):
    return launch(self, other, None)


def matmul_out(self, other, *, out):
    return launch(self, other, out)
