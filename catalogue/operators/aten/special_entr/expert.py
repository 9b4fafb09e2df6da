# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::special_entr: one element-wise pass over a strided tensor of any rank."""
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
def special_entr_kernel(out, x, numel, shape, out_strides, x_strides, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    tiny = a < 1e-30  # device functions of f32 take subnormals for zero: lift them first
    log = (tl.log2(tl.where(tiny, a * 18446744073709551616.0, a)) - tl.where(tiny, 64.0, 0.0)) * 0.6931471805599453
    result = tl.where(a > 0, -a * log, tl.where(a < 0, float("-inf"), a))  # a is 0 or NaN at the end
    tl.store(out + offsets(index, shape, out_strides), result.to(out.dtype.element_ty), mask=inside)


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
    columns = zip(*(merged or [[1] * (1 + len(strides))]))
    return [tuple(column) for column in columns]


def launch(self, out):
    if out is None:
        dtype = self.dtype if self.dtype.is_floating_point else torch.get_default_dtype()  # integers give floats
        out = torch.empty(self.shape, dtype=dtype, device=self.device)
    numel = out.numel()
    if numel:
        shape, out_strides, x_strides = collapse(self.shape, out.stride(), self.stride())
        compute = tl.float64 if self.dtype == torch.float64 else tl.float32
        special_entr_kernel[(triton.cdiv(numel, 1024),)](
            out, self, numel, shape, out_strides, x_strides, COMPUTE=compute, BLOCK=1024)
    return out


def special_entr(self):
    return launch(self, None)


def special_entr_out(self, *, out):
    return launch(self, out)
