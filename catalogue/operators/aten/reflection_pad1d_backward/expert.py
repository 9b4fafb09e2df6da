# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::reflection_pad1d_backward: an input element gathers its own gradient and its reflections."""
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
def gather_kernel(out, grad, numel, width, left, right, shape, out_strides, grad_strides, out_step, grad_step,
                  COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    """Nothing is scattered, so nothing needs atomics: at most three places of grad belong to one of out."""
    element = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = element < numel
    line = element // width
    place = element % width
    row = grad + offsets(line, shape, grad_strides)
    total = tl.load(row + (left + place) * grad_step, mask=inside).to(COMPUTE)
    # Place p lies left - p before the start, if 1 <= p <= left; and symmetrically behind the end.
    before = inside & (place >= 1) & (place <= left)
    total += tl.load(row + (left - place) * grad_step, mask=before, other=0).to(COMPUTE)
    back = width - 1 - place
    behind = inside & (back >= 1) & (back <= right)
    total += tl.load(row + (left + width - 1 + back) * grad_step, mask=behind, other=0).to(COMPUTE)
    tl.store(out + offsets(line, shape, out_strides) + place * out_step, total.to(out.dtype.element_ty), mask=inside)


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

def launch(grad_output, self, padding, out):
    if out is None:
        out = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    numel = out.numel()
    if numel:
        shape, out_strides, grad_strides = collapse(out.shape[:-1], out.stride()[:-1], grad_output.stride()[:-1])
        gather_kernel[(triton.cdiv(numel, 1024),)](
            out, grad_output, numel, out.shape[-1], *padding, shape, out_strides, grad_strides, out.stride(-1),
            grad_output.stride(-1), COMPUTE=tl.float64 if out.dtype == torch.float64 else tl.float32, BLOCK=1024)
    return out


def reflection_pad1d_backward(grad_output, self, padding):
    return launch(grad_output, self, padding, None)


def reflection_pad1d_backward_grad_input(grad_output, self, padding, *, grad_input):
    return launch(grad_output, self, padding, grad_input)
