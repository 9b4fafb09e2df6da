# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::upsample_nearest2d_backward: each input pixel adds the gradients of its copies."""
import math

import torch
import triton
import triton.language as tl


@triton.jit
def first_output(i, in_size, out_size, scale, HAS_SCALE: tl.constexpr):
    """The first output position whose source is i or later: the smallest o with o * (in / out) >= i."""
    if HAS_SCALE:
        first = tl.ceil(i.to(tl.float32) * scale).to(i.dtype)
    else:
        first = (i * out_size + in_size - 1) // in_size
    # The forward pass clamps sources to the last pixel, so that one takes all positions that remain.
    return tl.where(i >= in_size, out_size, tl.minimum(first, out_size))


@triton.jit
def backward_kernel(grad_in, grad, numel, c, ih, iw, oh, ow, in_n, in_c, in_h, in_w, out_n, out_c, out_h, out_w,
                    scale_h, scale_w, most_h, most_w, HAS_H: tl.constexpr, HAS_W: tl.constexpr,
                    COMPUTE: tl.constexpr, INDEX: tl.constexpr, BLOCK: tl.constexpr, COPIES: tl.constexpr):
    pixel = tl.program_id(0).to(INDEX) * BLOCK + tl.arange(0, BLOCK)
    inside = pixel < numel
    x = pixel % iw
    y = pixel // iw % ih
    channel = pixel // iw // ih % c
    image = pixel // iw // ih // c
    top = first_output(y, ih, oh, scale_h, HAS_H)
    bottom = first_output(y + 1, ih, oh, scale_h, HAS_H)
    left = first_output(x, iw, ow, scale_w, HAS_W)
    right = first_output(x + 1, iw, ow, scale_w, HAS_W)
    plane = grad + image * out_n + channel * out_c
    acc = tl.zeros([BLOCK], COMPUTE)
    for start in range(0, most_h * most_w, COPIES):  # several copies of a pixel at once: their loads overlap
        copy = start + tl.arange(0, COPIES)
        row = top[:, None] + copy[None, :] // most_w
        col = left[:, None] + copy[None, :] % most_w
        hit = inside[:, None] & (row < bottom[:, None]) & (col < right[:, None])
        copies = tl.load(plane[:, None] + row * out_h + col * out_w, mask=hit, other=0)
        acc += tl.sum(copies.to(COMPUTE), 1)
    at = image * in_n + channel * in_c + y * in_h + x * in_w
    tl.store(grad_in + at, acc.to(grad_in.dtype.element_ty), mask=inside)


def index_type(*tensors):
    """32 bits where they reach every element: divisions in 64 bits make a kernel long and slow."""
    furthest = max(t.numel() + sum((n - 1) * s for n, s in zip(t.shape, t.stride())) for t in tensors)
    return tl.int32 if furthest < 2**31 - 4096 else tl.int64


def launch(grad_output, output_size, input_size, scales_h, scales_w, grad_input):
    if grad_input is None:
        grad_input = torch.empty(input_size, dtype=grad_output.dtype, device=grad_output.device)
    n, c, ih, iw = input_size
    oh, ow = output_size
    numel = n * c * ih * iw
    if numel == 0:
        return grad_input
    # Bounds on the number of outputs per input pixel; the last pixel may hold more, where sizes and scales disagree.
    most_h = max(-(-oh // ih), math.ceil(scales_h or 1), oh - math.ceil((ih - 1) * (scales_h or oh / ih)) + 1)
    most_w = max(-(-ow // iw), math.ceil(scales_w or 1), ow - math.ceil((iw - 1) * (scales_w or ow / iw)) + 1)
    index = index_type(grad_input, grad_output) if max((ih + 1) * oh, (iw + 1) * ow) < 2**31 else tl.int64
    copies = min(16, triton.next_power_of_2(most_h * most_w))
    block = 1024 // copies if numel >= 2**18 else 128 // copies
    backward_kernel[(triton.cdiv(numel, block),)](
        grad_input, grad_output, numel, c, ih, iw, oh, ow, *grad_input.stride(), *grad_output.stride(),
        float(scales_h or 0), float(scales_w or 0), most_h, most_w, HAS_H=bool(scales_h), HAS_W=bool(scales_w),
        COMPUTE=tl.float64 if grad_output.dtype == torch.float64 else tl.float32, INDEX=index, BLOCK=block,
        COPIES=copies)
    return grad_input


def upsample_nearest2d_backward(grad_output, output_size, input_size, scales_h=None, scales_w=None):
    return launch(grad_output, output_size, input_size, scales_h, scales_w, None)


def upsample_nearest2d_backward_grad_input(grad_output, output_size, input_size, scales_h=None, scales_w=None, *,
                                           grad_input):
    return launch(grad_output, output_size, input_size, scales_h, scales_w, grad_input)
