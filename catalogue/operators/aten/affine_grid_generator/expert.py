# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for aten::affine_grid_generator: one program for a block of pixels, every coordinate of each."""
import torch
import triton
import triton.language as tl


@triton.jit
def coordinate(i, n, ALIGN: tl.constexpr, COMPUTE: tl.constexpr):
    """Position of pixel i of n between -1 and 1."""
    n = i * 0 + n
    i = i.to(COMPUTE)
    if ALIGN:  # the outer pixels sit on -1 and 1; a single one sits at 0
        return tl.where(n == 1, i * 0, 2 * i / tl.where(n == 1, 1, n - 1).to(COMPUTE) - 1)
    return (2 * i + 1) / n.to(COMPUTE) - 1


@triton.jit
def grid_kernel(out, theta, pixels, depth, height, width, out_n, out_d, out_h, out_w, out_k, theta_n, theta_i, theta_j,
                VOLUME: tl.constexpr, ALIGN: tl.constexpr, COMPUTE: tl.constexpr, BLOCK: tl.constexpr):
    pixel = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = pixel < pixels
    w = pixel % width
    h = pixel // width % height
    d = pixel // width // height % depth
    n = pixel // width // height // depth
    x = coordinate(w, width, ALIGN, COMPUTE)
    y = coordinate(h, height, ALIGN, COMPUTE)
    z = coordinate(d, depth, ALIGN, COMPUTE)
    at = out + n * out_n + d * out_d + h * out_h + w * out_w
    matrix = theta + n * theta_n
    for k in tl.static_range(3 if VOLUME else 2):
        row = matrix + k * theta_i
        value = tl.load(row, mask=inside).to(COMPUTE) * x
        value += tl.load(row + theta_j, mask=inside).to(COMPUTE) * y
        if VOLUME:
            value += tl.load(row + 2 * theta_j, mask=inside).to(COMPUTE) * z
        value += tl.load(row + (3 if VOLUME else 2) * theta_j, mask=inside).to(COMPUTE)
        tl.store(at + k * out_k, value.to(out.dtype.element_ty), mask=inside)


def launch(theta, size, align_corners, out):
    volume = len(size) == 5
    n, depth, height, width = size[0], size[2] if volume else 1, size[-2], size[-1]
    if out is None:
        out = torch.empty([n, *size[2:], len(size) - 2], dtype=theta.dtype, device=theta.device)
    pixels = n * depth * height * width
    out_n, *steps = out.stride()
    out_d, out_h, out_w, out_k = steps if volume else (0, *steps)
    if pixels:
        grid_kernel[(triton.cdiv(pixels, 512),)](
            out, theta, pixels, depth, height, width, out_n, out_d, out_h, out_w, out_k, *theta.stride(), VOLUME=volume,
            ALIGN=align_corners, COMPUTE=tl.float64 if theta.dtype == torch.float64 else tl.float32, BLOCK=512)
    return out


def affine_grid_generator(theta, size, align_corners):
    return launch(theta, size, align_corners, None)


def affine_grid_generator_out(theta, size, align_corners, *, out):
    return launch(theta, size, align_corners, out)
