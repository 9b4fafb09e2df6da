# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for vllm::ggml_mul_mat_vec_a8: quantised activations times packed weights, in integers."""
import torch
import triton
import triton.language as tl


@triton.jit
def q8_kernel(codes, scales, sums, x, blocks, x_row):
    """32 activations at a time: scale = largest / 127, codes with halves away from zero, f16 scale and sum."""
    row = tl.program_id(0).to(tl.int64)
    block = tl.program_id(1) * 8 + tl.arange(0, 8)
    i = tl.arange(0, 32)[None, :]
    inside = (block < blocks)[:, None] & (i < 32)
    value = tl.load(x + row * x_row + block[:, None] * 32 + i, mask=inside, other=0).to(tl.float32)
    scale = tl.div_rn(tl.max(tl.abs(value), 1), tl.full([8], 127.0, tl.float32))
    divisor = tl.where(scale == 0, 1.0, scale)[:, None] + tl.zeros([8, 32], tl.float32)
    quotient = tl.div_rn(value, divisor)
    size = tl.floor(tl.abs(quotient))
    size += tl.where(tl.abs(quotient) - size >= 0.5, 1.0, 0.0)
    code = tl.where(quotient < 0, -size, size)
    tl.store(codes + row * blocks * 32 + block[:, None] * 32 + i, code.to(tl.int8), mask=inside)
    tl.store(scales + row * blocks + block, scale.to(tl.float16), mask=block < blocks)
    tl.store(sums + row * blocks + block, tl.sum(value, 1).to(tl.float16), mask=block < blocks)


@triton.jit
def row_dots(weight, codes, scales, sums, blocks, live, Q8: tl.constexpr, ROWS: tl.constexpr):
    """Dot products of ROWS rows of packed weights (pointers to their bytes) with one row of quantised activations."""
    BYTES: tl.constexpr = 34 if Q8 else 18
    i = tl.arange(0, 32)[None, :]
    acc = tl.zeros([ROWS], tl.float32)
    for block in range(blocks):
        at = weight + block * BYTES
        low = tl.load(at, mask=live, other=0).to(tl.uint16)
        high = tl.load(at + 1, mask=live, other=0).to(tl.uint16)
        d = (low | (high << 8)).to(tl.float16, bitcast=True).to(tl.float32)
        # Q4_0 keeps element j in the low half of byte j and element 16 + j in the high half.
        byte = tl.load(at[:, None] + 2 + (i if Q8 else i % 16), mask=live[:, None], other=0)
        if Q8:
            w = byte.to(tl.int8, bitcast=True).to(tl.int32)
        else:
            w = ((byte >> (i // 16 * 4).to(tl.uint8)) & 15).to(tl.int32)
        q = tl.load(codes + block * 32 + i).to(tl.int32)
        part = tl.load(scales + block).to(tl.float32) * tl.sum(w * q, 1).to(tl.float32)
        if not Q8:
            part -= 8.0 * tl.load(sums + block).to(tl.float32)
        acc += d * part
    return acc


@triton.jit
def product_kernel(out, weight, codes, scales, sums, rows, blocks, w_row, Q8: tl.constexpr, ROWS: tl.constexpr):
    vector = tl.program_id(0).to(tl.int64)
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    acc = row_dots(weight + row.to(tl.int64) * w_row, codes + vector * blocks * 32, scales + vector * blocks,
                   sums + vector * blocks, blocks, row < rows, Q8, ROWS)
    tl.store(out + vector * rows + row, acc.to(out.dtype.element_ty), mask=row < rows)


def quantised(x):
    """Codes, scales and sums of the rows of x."""
    rows, width = x.shape
    blocks = width // 32
    codes = torch.empty((rows, width), dtype=torch.int8, device=x.device)
    scales = torch.empty((rows, blocks), dtype=torch.float16, device=x.device)
    sums = torch.empty((rows, blocks), dtype=torch.float16, device=x.device)
    q8_kernel[(rows, triton.cdiv(blocks, 8))](codes, scales, sums, x, blocks, x.stride(0))
    return codes, scales, sums, blocks


def ggml_mul_mat_vec_a8(W, X, quant_type, row):
    if quant_type not in (2, 8):
        raise NotImplementedError(f"GGML type {quant_type}")
    out = torch.empty((X.shape[0], row), dtype=X.dtype, device=X.device)
    if out.numel():
        codes, scales, sums, blocks = quantised(X)
        product_kernel[(X.shape[0], triton.cdiv(row, 32))](
            out, W, codes, scales, sums, row, blocks, blocks * (34 if quant_type == 8 else 18), Q8=quant_type == 8,
            ROWS=32)
    return out
