# SPDX-License-Identifier: Apache-2.0
"""Triton kernel for vllm::gather_and_maybe_dequant_cache: a program moves the 576 elements of a few tokens."""
import triton
import triton.language as tl


@triton.jit
def e4m3_value(code):
    """f32 of a byte that holds an e4m3 code: as f16, whose exponent is biased by 8 more; runs on every target."""
    wide = code.to(tl.uint16)
    half = ((wide & 0x80) << 8 | (wide & 0x7F) << 7).to(tl.float16, bitcast=True)
    return half.to(tl.float32) * 256.0


@triton.jit
def gather_kernel(dst, src, table, cu_seq_lens, token_to_seq, seq_starts, scale, tokens, block_size, dst_row, src_block,
                  src_row, table_row, table_step, HAS_STARTS: tl.constexpr, FP8: tl.constexpr, TOKENS: tl.constexpr,
                  WIDTH: tl.constexpr):
    token = tl.program_id(0) * TOKENS + tl.arange(0, TOKENS)
    live = token < tokens
    sequence = tl.load(token_to_seq + token, mask=live, other=0)
    at = token - tl.load(cu_seq_lens + sequence, mask=live, other=0)
    live &= token < tl.load(cu_seq_lens + sequence + 1, mask=live, other=0)
    if HAS_STARTS:
        at += tl.load(seq_starts + sequence, mask=live, other=0)
    block = tl.load(table + sequence * table_row + at // block_size * table_step, mask=live, other=0).to(tl.int64)
    i = tl.arange(0, 1024)[None, :]
    inside = live[:, None] & (i < WIDTH)
    value = tl.load(src + (block * src_block + at % block_size * src_row)[:, None] + i, mask=inside)
    if FP8:
        value = (e4m3_value(value) * tl.load(scale)).to(dst.dtype.element_ty)
    tl.store(dst + (token.to(tl.int64) * dst_row)[:, None] + i, value, mask=inside)


def gather_and_maybe_dequant_cache(src_cache, dst, block_table, cu_seq_lens, token_to_seq, num_tokens, kv_cache_dtype,
                                   scale, seq_starts=None):
    if num_tokens == 0:
        return
    gather_kernel[(triton.cdiv(num_tokens, 2),)](
        dst, src_cache, block_table, cu_seq_lens, token_to_seq, cu_seq_lens if seq_starts is None else seq_starts,
        scale, num_tokens, src_cache.shape[1], dst.stride(0), src_cache.stride(0), src_cache.stride(1),
        *block_table.stride(), HAS_STARTS=seq_starts is not None, FP8=kv_cache_dtype != "auto", TOKENS=2, WIDTH=576)
