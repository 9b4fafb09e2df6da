# SPDX-License-Identifier: Apache-2.0
"""Triton kernels for aten::sort, stable: short rows in one block, or by counting who comes before; long ones by radix."""
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
def sort_key(x, WIDE: tl.constexpr, DESCENDING: tl.constexpr):
    """An i64 whose signed order is the order of sorting. Equal elements have equal keys: 0 and -0, and all NaNs."""
    if x.dtype.is_floating():
        # IEEE bits order like signed magnitudes: flip the magnitude of negative numbers. NaN goes to the end.
        if WIDE:
            bits = tl.where(x == 0, 0.0, x).to(tl.int64, bitcast=True)
            key = tl.where(x != x, 0x7FFFFFFFFFFFFFFF, bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF))
        else:
            x = x.to(tl.float32)
            bits = tl.where(x == 0, 0.0, x).to(tl.int32, bitcast=True)
            key = tl.where(x != x, 0x7FFFFFFF, bits ^ ((bits >> 31) & 0x7FFFFFFF)).to(tl.int64)
    else:
        key = x.to(tl.int64)
    return ~key if DESCENDING else key


@triton.jit
def block_sort_kernel(values, indices, x, rows, n, shape, x_strides, value_strides, index_strides, x_step, value_step,
                      index_step, WIDE: tl.constexpr, DESCENDING: tl.constexpr, ROWS: tl.constexpr, N: tl.constexpr):
    """Whole rows of keys that 32 bits hold. With its place behind it each key is unique, so that any sort is stable."""
    row = (tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS))[:, None]
    lane = tl.arange(0, N).to(tl.int64)[None, :]
    inside = (row < rows) & (lane < n)
    at_row = x + offsets(row, shape, x_strides)
    key = sort_key(tl.load(at_row + lane * x_step, mask=inside, other=0), WIDE, DESCENDING)
    key = tl.where(lane < n, key, 0x7FFFFFFF)  # to the end, and behind what is there by its place
    source = tl.sort((key << 32) | lane, 1) & 0xFFFFFFFF
    element = tl.load(at_row + source * x_step, mask=inside)
    tl.store(values + offsets(row, shape, value_strides) + lane * value_step, element, mask=inside)
    tl.store(indices + offsets(row, shape, index_strides) + lane * index_step, source, mask=inside)


@triton.jit
def count_sort_kernel(values, indices, x, n, shape, x_strides, value_strides, index_strides, x_step, value_step,
                      index_step, WIDE: tl.constexpr, DESCENDING: tl.constexpr, N: tl.constexpr, CHUNK: tl.constexpr):
    """N elements of a row: an element's place is the number of elements that are smaller, or equal and earlier."""
    row = tl.program_id(0).to(tl.int64)
    x += offsets(row, shape, x_strides)
    lane = tl.program_id(1).to(tl.int64) * N + tl.arange(0, N)
    mine = tl.load(x + lane * x_step, mask=lane < n, other=0)
    key = sort_key(mine, WIDE, DESCENDING)[:, None]
    before = tl.zeros([N, CHUNK], tl.int32)  # summed over the chunk once, at the end
    for start in range(0, n, CHUNK):
        other = start + tl.arange(0, CHUNK).to(tl.int64)
        other_key = sort_key(tl.load(x + other * x_step, mask=other < n, other=0), WIDE, DESCENDING)[None, :]
        earlier = (other_key < key) | ((other_key == key) & (other[None, :] < lane[:, None]))
        before += (earlier & (other < n)[None, :]).to(tl.int32)
    place = tl.sum(before, 1)
    tl.store(values + offsets(row, shape, value_strides) + place.to(tl.int64) * value_step, mine, mask=lane < n)
    tl.store(indices + offsets(row, shape, index_strides) + place.to(tl.int64) * index_step, lane, mask=lane < n)


@triton.jit
def key_kernel(keys, order, x, n, shape, x_strides, x_step, WIDE: tl.constexpr, DESCENDING: tl.constexpr,
               BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    element = tl.load(x + offsets(row, shape, x_strides) + lane * x_step, mask=lane < n, other=0)
    tl.store(keys + row * n + lane, sort_key(element, WIDE, DESCENDING), mask=lane < n)
    tl.store(order + row * n + lane, lane, mask=lane < n)


@triton.jit
def digits_of(keys, row, lane, n, shift, SIGN: tl.constexpr):
    """One-hot rows [BLOCK, 16] of the digit at `shift`; SIGN flips the sign bit, so that digits order as unsigned."""
    key = tl.load(keys + row * n + lane, mask=lane < n, other=0)
    digit = ((key ^ SIGN) >> shift) & 15
    hot = (digit[:, None] == tl.arange(0, 16)[None, :]) & (lane < n)[:, None]
    return key, digit, hot.to(tl.int32)


@triton.jit
def count_kernel(counts, keys, n, shift, SIGN: tl.constexpr, BLOCK: tl.constexpr):
    """counts[row, digit, block]: elements of a block with that digit."""
    row = tl.program_id(0).to(tl.int64)
    block = tl.program_id(1)
    _, _, hot = digits_of(keys, row, block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK), n, shift, SIGN)
    at = (row * 16 + tl.arange(0, 16)) * tl.num_programs(1) + block
    tl.store(counts + at, tl.sum(hot, 0))


@triton.jit
def prefix_kernel(counts, size, BLOCK: tl.constexpr):
    """counts becomes, row by row, the number of elements before that digit and block: where they go."""
    row = tl.program_id(0).to(tl.int64)
    before = 0
    for start in range(0, size, BLOCK):
        lane = start + tl.arange(0, BLOCK)
        count = tl.load(counts + row * size + lane, mask=lane < size, other=0)
        tl.store(counts + row * size + lane, before + tl.cumsum(count, 0) - count, mask=lane < size)
        before += tl.sum(count, 0)


@triton.jit
def scatter_kernel(new_keys, new_order, keys, order, counts, n, shift, SIGN: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    block = tl.program_id(1)
    lane = block.to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    key, digit, hot = digits_of(keys, row, lane, n, shift, SIGN)
    rank = tl.sum((tl.cumsum(hot, 0) - hot) * hot, 1)  # among the block's elements with the same digit
    start = tl.load(counts + (row * 16 + digit) * tl.num_programs(1) + block)
    place = row * n + start + rank
    tl.store(new_keys + place, key, mask=lane < n)
    tl.store(new_order + place, tl.load(order + row * n + lane, mask=lane < n), mask=lane < n)


@triton.jit
def finish_kernel(values, indices, x, order, n, shape, x_strides, value_strides, index_strides, x_step, value_step,
                  index_step, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    lane = tl.program_id(1).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    source = tl.load(order + row * n + lane, mask=lane < n, other=0)
    element = tl.load(x + offsets(row, shape, x_strides) + source * x_step, mask=lane < n)
    tl.store(values + offsets(row, shape, value_strides) + lane * value_step, element, mask=lane < n)
    tl.store(indices + offsets(row, shape, index_strides) + lane * index_step, source, mask=lane < n)


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


# First and last bit of the key that differ within a type: 16-bit floats are sorted by their f32 bits.
BITS = {torch.float16: (12, 32), torch.bfloat16: (16, 32), torch.float32: (0, 32), torch.float64: (0, 64),
        torch.bool: (0, 4), torch.uint8: (0, 8), torch.int8: (0, 8), torch.int16: (0, 16), torch.int32: (0, 32),
        torch.int64: (0, 64)}
UNSIGNED = (torch.bool, torch.uint8)


def launch(self, dim, descending, values, indices):
    if values is None:
        values = torch.empty(self.shape, dtype=self.dtype, device=self.device)
        indices = torch.empty(self.shape, dtype=torch.int64, device=self.device)
    if self.numel() == 0:
        return values, indices
    x, v, i = [t.movedim(dim, -1) if t.dim() else t.view(1) for t in (self, values, indices)]
    n = x.shape[-1]
    rows = x.numel() // n
    shape, *strides = collapse(x.shape[:-1], x.stride()[:-1], v.stride()[:-1], i.stride()[:-1])
    steps = x.stride(-1), v.stride(-1), i.stride(-1)
    kind = dict(WIDE=self.dtype == torch.float64, DESCENDING=bool(descending))
    if n <= 2048 and self.dtype not in (torch.float64, torch.int64):  # key and place fit into 64 bits
        size = triton.next_power_of_2(n)
        tile = min(triton.next_power_of_2(rows), max(1, 512 // size))
        block_sort_kernel[(triton.cdiv(rows, tile),)](v, i, x, rows, n, shape, *strides, *steps, ROWS=tile, N=size,
                                                      num_warps=4 if tile * size <= 512 else 8, **kind)
        return values, indices
    if n <= 4096:  # the row's elements are placed independently: over many processors
        size = triton.next_power_of_2(n)
        count_sort_kernel[(rows, triton.cdiv(n, min(size, 32)))](v, i, x, n, shape, *strides, *steps, N=min(size, 32),
                                                                 CHUNK=min(size, 128), **kind)
        return values, indices

    block = 512
    grid = (rows, triton.cdiv(n, block))
    keys = torch.empty((2, rows, n), dtype=torch.int64, device=self.device)
    order = torch.empty((2, rows, n), dtype=torch.int64, device=self.device)
    counts = torch.empty((rows, 16, grid[1]), dtype=torch.int32, device=self.device)
    key_kernel[grid](keys[0], order[0], x, n, shape, strides[0], steps[0], BLOCK=block, **kind)
    first, last = BITS[self.dtype]
    sign = 0 if self.dtype in UNSIGNED else -(2**63) if last == 64 else 2 ** (last - 1)
    now = 0
    for shift in range(first, last, 4):  # from the lowest digit: each pass keeps the order of the ones before
        count_kernel[grid](counts, keys[now], n, shift, SIGN=sign, BLOCK=block)
        prefix_kernel[(rows,)](counts, 16 * grid[1], BLOCK=4096)
        scatter_kernel[grid](keys[1 - now], order[1 - now], keys[now], order[now], counts, n, shift, SIGN=sign,
                             BLOCK=block)
        now = 1 - now
    finish_kernel[grid](v, i, x, order[now], n, shape, *strides, *steps, BLOCK=block)
    return values, indices


def sort(self, dim=-1, descending=False):
    return launch(self, dim, descending, None, None)


def sort_stable(self, *, stable, dim=-1, descending=False):
    return launch(self, dim, descending, None, None)


def sort_values(self, dim=-1, descending=False, *, values, indices):
    return launch(self, dim, descending, values, indices)


def sort_values_stable(self, *, stable, dim=-1, descending=False, values, indices):
    return launch(self, dim, descending, values, indices)
