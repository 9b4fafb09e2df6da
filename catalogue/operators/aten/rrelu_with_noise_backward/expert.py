# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::rrelu_with_noise_backward: one element-wise pass over strided tensors of any rank."""
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
def rrelu_with_noise_backward_kernel(out, grad, x, slope: "fp64", numel, shape, out_strides, grad_strides,
                                     x_strides, TRAINING: tl.constexpr, COMPUTE: tl.constexpr,
                                     INDEX: tl.constexpr, BLOCK: tl.constexpr):
    index = tl.program_id(0).to(INDEX) * BLOCK + tl.arange(0, BLOCK)
    inside = index < numel
    g = tl.load(grad + offsets(index, shape, grad_strides), mask=inside).to(COMPUTE)
    a = tl.load(x + offsets(index, shape, x_strides), mask=inside).to(COMPUTE)
    slope = slope.to(COMPUTE)
    if TRAINING:
        result = g * a  # x is the noise
    else:
        result = tl.where(a > 0, g, g * slope)  # NaN is not above zero
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


def index_type(*tensors):
    """32 bits where they reach every element: divisions in 64 bits make a kernel long and slow."""
    furthest = max(t.numel() + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) for t in tensors)
    return tl.int32 if furthest < 2**31 - 4096 else tl.int64


def launch(grad_output, self, noise, lower, upper, training, out):
    if out is None:
        out = torch.empty(self.shape, dtype=self.dtype, device=self.device)
    numel = out.numel()
    training = training and upper - lower > 1e-6
    x = noise if training else self
    if numel:
        block = 1024 if numel >= 2**18 else 128  # small tensors: over many processors, in little code
        order = sorted(range(out.dim()), key=lambda d: -out.stride(d))  # along the output's memory
        shape, *strides = collapse(*[[sizes[d] for d in order] for sizes in
                                     (self.shape, out.stride(), grad_output.stride(), x.stride())])
        compute = tl.float64 if self.dtype == torch.float64 else tl.float32
        rrelu_with_noise_backward_kernel[(triton.cdiv(numel, block),)](
            out, grad_output, x, (lower + upper) / 2, numel, shape, *strides, TRAINING=training, COMPUTE=compute,
            INDEX=index_type(out, grad_output, x), BLOCK=block)
    return out


def rrelu_with_noise_backward(grad_output, self, noise, lower, upper, training, self_is_result):
    return launch(grad_output, self, noise, lower, upper, training, None)


def rrelu_with_noise_backward_out(grad_output, self, noise, lower, upper, training, self_is_result, *, out):
    return launch(grad_output, self, noise, lower, upper, training, out)
