# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for vllm::paged_attention_v2: partitions of 512 tokens attend on their own, then are merged."""
import triton
import triton.language as tl

PARTITION = 512


@triton.jit
def loaded(pointer, inside, scale, FP8: tl.constexpr):
    """f32 of cache elements; bytes hold e4m3, read as f16, whose exponent is biased by 8 more."""
    value = tl.load(pointer, mask=inside, other=0)
    if FP8:
        wide = value.to(tl.uint16)
        half = ((wide & 0x80) << 8 | (wide & 0x7F) << 7).to(tl.float16, bitcast=True)
        return half.to(tl.float32) * (256.0 * scale)
    return value.to(tl.float32)


@triton.jit
def attend(q, key_cache, value_cache, table, head, slope, first, last, length, block_size, x, size, scale, k_scale,
           v_scale, cache_block, cache_head, FP8: tl.constexpr, SIZE: tl.constexpr, TOKENS: tl.constexpr):
    """Running maximum, sum and weighted values over the tokens first .. last - 1 of a sequence of `length`."""
    i = tl.arange(0, SIZE)[None, :]
    top = float("-inf")
    total = 0.0
    acc = tl.zeros([SIZE], tl.float32)
    for start in range(first, last, TOKENS):
        token = start + tl.arange(0, TOKENS)
        live = token < last
        block = tl.load(table + token // block_size, mask=live, other=0).to(tl.int64)
        base = (block * cache_block + head * cache_head)[:, None]
        offset = (token % block_size)[:, None]
        inside = live[:, None] & (i < size)
        k = loaded(key_cache + base + i // x * block_size * x + offset * x + i % x, inside, k_scale, FP8)
        logits = tl.sum(k * q[None, :], 1) * scale + slope * (token - length + 1)
        logits = tl.where(live, logits, float("-inf"))
        higher = tl.maximum(top, tl.max(logits, 0))
        weights = tl.exp(logits - higher)
        shrink = tl.exp(top - higher)
        v = loaded(value_cache + base + i * block_size + offset, inside, v_scale, FP8)
        acc = acc * shrink + tl.sum(weights[:, None] * v, 0)
        total = total * shrink + tl.sum(weights, 0)
        top = higher
    return top, total, acc


@triton.jit
def partition_kernel(partial, sums, tops, query, key_cache, value_cache, tables, lengths, slopes, group, block_size, x,
                     size, partitions, scale: "fp32", k_scale, v_scale, query_seq, query_head, cache_block, cache_head,
                     table_seq, HAS_SLOPES: tl.constexpr, FP8: tl.constexpr, SIZE: tl.constexpr, TOKENS: tl.constexpr,
                     SPAN: tl.constexpr):
    sequence = tl.program_id(0).to(tl.int64)
    h = tl.program_id(1)
    first = tl.program_id(2) * SPAN
    length = tl.load(lengths + sequence)
    if first < length:
        i = tl.arange(0, SIZE)
        q = tl.load(query + sequence * query_seq + h * query_head + i, mask=i < size, other=0).to(tl.float32)
        slope = tl.load(slopes + h) if HAS_SLOPES else 0.0
        top, total, acc = attend(q, key_cache, value_cache, tables + sequence * table_seq, h // group, slope, first,
                                 tl.minimum(first + SPAN, length), length, block_size, x, size, scale,
                                 tl.load(k_scale), tl.load(v_scale), cache_block, cache_head, FP8, SIZE, TOKENS)
        place = (sequence * tl.num_programs(1) + h) * partitions + tl.program_id(2)
        tl.store(tops + place, top)
        tl.store(sums + place, total)
        tl.store(partial + place * size + i, (acc / (total + 1e-6)).to(partial.dtype.element_ty), mask=i < size)


@triton.jit
def merge_kernel(out, partial, sums, tops, lengths, size, partitions, out_seq, out_head, SIZE: tl.constexpr,
                 SPAN: tl.constexpr, PARTITIONS: tl.constexpr):
    sequence = tl.program_id(0).to(tl.int64)
    h = tl.program_id(1)
    p = tl.arange(0, PARTITIONS)
    used = p * SPAN < tl.load(lengths + sequence)
    place = (sequence * tl.num_programs(1) + h) * partitions + p
    top = tl.load(tops + place, mask=used, other=float("-inf"))
    weight = tl.load(sums + place, mask=used, other=0) * tl.exp(top - tl.max(top, 0))
    weight = weight / (tl.sum(weight, 0) + 1e-6)
    i = tl.arange(0, SIZE)
    tile = tl.load(partial + place[:, None] * size + i[None, :], mask=used[:, None] & (i < size)[None, :], other=0)
    merged = tl.sum(tile.to(tl.float32) * weight[:, None], 0)
    tl.store(out + sequence * out_seq + h * out_head + i, merged.to(out.dtype.element_ty), mask=i < size)


def paged_attention_v2(out, exp_sum, max_logits, tmp_out, query, key_cache, value_cache, num_kv_heads, scale,
                       block_tables, seq_lens, block_size, max_seq_len, alibi_slopes, kv_cache_dtype, k_scale, v_scale,
                       tp_rank=0, blocksparse_local_blocks=0, blocksparse_vert_stride=0, blocksparse_block_size=64,
                       blocksparse_head_sliding_step=0):
    if blocksparse_vert_stride > 1:
        raise NotImplementedError("block-sparse attention")
    sequences, heads, size = query.shape
    if out.numel() == 0:
        return
    partitions, wide = triton.cdiv(max_seq_len, PARTITION), triton.next_power_of_2(size)
    partition_kernel[(sequences, heads, partitions)](
        tmp_out, exp_sum, max_logits, query, key_cache, value_cache, block_tables, seq_lens,
        seq_lens if alibi_slopes is None else alibi_slopes, heads // num_kv_heads, block_size, key_cache.shape[4], size,
        partitions, scale, k_scale, v_scale, *query.stride()[:2], *key_cache.stride()[:2], block_tables.stride(0),
        HAS_SLOPES=alibi_slopes is not None, FP8=kv_cache_dtype != "auto", SIZE=wide, TOKENS=32, SPAN=PARTITION)
    merge_kernel[(sequences, heads)](out, tmp_out, exp_sum, max_logits, seq_lens, size, partitions, *out.stride()[:2],
                                     SIZE=wide, SPAN=PARTITION, PARTITIONS=triton.next_power_of_2(partitions))
