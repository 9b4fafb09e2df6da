# SPDX-License-Identifier: Apache-2.0
"""The kernels of the speed tables: what is launched, and what torch does for the same operator."""
import dataclasses
import pathlib
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "python" / "vm"))
import kernels
import speed_kernels as own

MI = 1 << 20


@dataclasses.dataclass
class Case:
    kernel: object
    grid: tuple
    args: tuple
    options: dict
    eager: Callable  # torch, the same operator
    bar: float | None = None  # most time on one thread, as a multiple of eager's
    atomic: bool = False
    flops: float = 0
    gemm: bool = False  # held against OpenBLAS


def elementwise(kernel, n, block, args, eager, dtype=torch.float32, bar=True):
    limit = None if not bar else 2.0 if block >= 1024 else 4.0
    return Case(kernel, (n // block,), (*args, torch.empty(n, dtype=dtype), n), {"BLOCK": block}, eager, limit)


def add(n, block, dtype=torch.float32):
    x, y, out = (torch.randn(n, dtype=dtype) for _ in range(3))
    return elementwise(kernels.add, n, block, (x, y), lambda: torch.add(x, y, out=out), dtype)


def map_of(kernel, n, block, eager):
    x = torch.randn(n)
    return elementwise(kernel, n, block, (x,), lambda: eager(x))


def select(n, block):
    x, y = torch.randn(n), torch.randn(n)
    return elementwise(own.clamped_select, n, block, (x, y), lambda: torch.where(x > 0, x, 0.01 * y))


def softmax(columns, dtype=torch.float32):
    x, out = torch.randn(4096, columns, dtype=dtype), torch.empty(4096, columns, dtype=dtype)
    return Case(kernels.softmax, (4096,), (x, torch.empty_like(x), columns, columns), {"BLOCK": columns},
                lambda: torch.softmax(x, 1, out=out), 1.5)


def layer_norm(columns, block):
    x, w, b = torch.randn(4096, columns), torch.randn(columns), torch.randn(columns)
    return Case(kernels.layer_norm, (4096,), (x, torch.empty_like(x), w, b, columns, columns, 1e-5), {"BLOCK": block},
                lambda: F.layer_norm(x, (columns,), w, b, 1e-5), 3.0)


def rms_norm(columns):
    x, w = torch.randn(4096, columns), torch.randn(columns)
    return Case(own.rms_norm, (4096,), (x, w, torch.empty_like(x), columns, 1e-5), {"BLOCK": columns},
                lambda: F.rms_norm(x, (columns,), w, 1e-5))


def row_sum(columns):
    x, out = torch.randn(4096, columns), torch.empty(4096)
    return Case(own.row_sum, (4096,), (x, torch.empty(4096), columns), {"BLOCK": columns},
                lambda: torch.sum(x, 1, out=out))


def column_max(n):
    x = torch.randn(n, n)
    return Case(own.column_max, (n // 64,), (x, torch.empty(n), n, n), {"BM": 32, "BN": 64}, lambda: torch.amax(x, 0))


def matmul(n, dtype, block=(64, 64, 32)):
    a, b, out = (torch.randn(n, n, dtype=dtype) for _ in range(3))
    m, nn, k = block
    options = {"BM": m, "BN": nn, "BK": k, "GROUP": 8, "PRECISION": "ieee"}
    f32 = dtype == torch.float32
    return Case(kernels.matmul, ((n // m) * (n // nn),), (a, b, torch.empty_like(a), n, n, n, n, 1, n, 1, n, 1), options,
                lambda: torch.mm(a, b, out=out), None if f32 else 3.5, flops=2.0 * n**3, gemm=f32)


def attention(dtype, causal):
    q, k, v = (torch.randn(16, 512, 64, dtype=dtype) for _ in range(3))
    return Case(kernels.attention, (8, 16), (q, k, v, torch.empty_like(q), 0.125, 512, 512 * 64),
                {"BM": 64, "BN": 32, "D": 64, "CAUSAL": causal},
                lambda: F.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=causal), 1.0)


def rows(kernel, count, columns, options, eager, bar=None):
    x = torch.randn(count, columns)
    return Case(kernel, (count,), (x, torch.empty_like(x)), {"BLOCK": columns, **options}, lambda: eager(x), bar)


def argmax(count, columns):
    x = torch.randn(count, columns)
    return Case(kernels.argmax, (count,), (x, torch.empty(count, dtype=torch.int32), columns), {"BLOCK": columns},
                lambda: torch.argmax(x, 1))


def recurrence(n):
    a, b = torch.rand(n), torch.randn(n)
    return Case(kernels.recurrence, (1,), (a, b, torch.empty(n)), {"BLOCK": n}, lambda: torch.cumsum(a * b, 0))


def take(n, block):
    x, index = torch.randn(n), torch.randint(0, n, (n,))
    return Case(own.take, (n // block,), (x, index, torch.empty(n), n), {"BLOCK": block}, lambda: torch.take(x, index))


def gather_rows(count, columns):
    table, index = torch.randn(65536, columns), torch.randint(0, 65536, (count,))
    return Case(kernels.gather_rows, (count // 4,), (table, index, torch.empty(count, columns), columns),
                {"ROWS": 4, "BLOCK": columns}, lambda: F.embedding(index, table))


def histogram(n, bins):
    index, weights = torch.randint(0, bins, (n,), dtype=torch.int32), torch.ones(n, dtype=torch.int32)
    out = torch.zeros(bins, dtype=torch.int32)
    return Case(kernels.atomic_histogram, (n // 1024,), (index, torch.zeros(bins, dtype=torch.int32), n), {"BLOCK": 1024},
                lambda: out.index_add_(0, index, weights), atomic=True)


def scatter_add(n, targets):
    x, index, out = torch.randn(n), torch.randint(0, targets, (n,)), torch.zeros(targets)
    return Case(own.scatter_add, (n // 1024,), (x, index, torch.zeros(targets), n), {"BLOCK": 1024},
                lambda: out.index_add_(0, index, x), atomic=True)


def transpose(n):
    x, out = torch.randn(n, n), torch.empty(n, n)
    return Case(own.transpose, (n // 64, n // 64), (x, torch.empty(n, n), n, n), {"BLOCK": 64},
                lambda: out.copy_(x.t()))


def dropout(n):
    x = torch.randn(n)
    return Case(kernels.dropout, (n // 1024,), (x, torch.empty(n), n, 0.5, 7), {"BLOCK": 1024}, lambda: F.dropout(x, 0.5))


def random_fill(n):
    out = torch.empty(n)
    return Case(own.random_fill, (n // 1024,), (torch.empty(n), n, 7), {"BLOCK": 1024}, lambda: out.uniform_())


# name -> a function that makes the case: inputs of one case at a time are in memory.
CASES = {
    **{f"add {n // MI}M, {block}": lambda n=n, block=block: add(n, block)
       for n in (MI, 16 * MI) for block in (256, 1024, 4096)},
    "add bf16 1M, 1024": lambda: add(MI, 1024, torch.bfloat16),
    "silu 1M, 1024": lambda: map_of(own.silu, MI, 1024, F.silu),
    "silu 1M, 256": lambda: map_of(own.silu, MI, 256, F.silu),
    "gelu 16M, 4096": lambda: map_of(own.gelu, 16 * MI, 4096, F.gelu),
    "select 1M, 1024": lambda: select(MI, 1024),
    "row sum 4096 x 4096": lambda: row_sum(4096),
    "column max 4096 x 4096": lambda: column_max(4096),
    "softmax 4096 x 256": lambda: softmax(256),
    "softmax 4096 x 1024": lambda: softmax(1024),
    "softmax 4096 x 4096": lambda: softmax(4096),
    "softmax bf16 4096 x 1024": lambda: softmax(1024, torch.bfloat16),
    "layer norm 4096 x 1024": lambda: layer_norm(1024, 1024),
    "layer norm 4096 x 4096": lambda: layer_norm(4096, 1024),
    "rms norm 4096 x 4096": lambda: rms_norm(4096),
    **{f"matmul f32 {n}": lambda n=n: matmul(n, torch.float32) for n in (64, 256, 512, 1024, 2048)},
    "matmul f32 1024, tile 128": lambda: matmul(1024, torch.float32, (128, 128, 32)),
    **{f"matmul bf16 {n}": lambda n=n: matmul(n, torch.bfloat16) for n in (256, 512, 1024)},
    "attention f32 16 x 512 x 64": lambda: attention(torch.float32, False),
    "attention f32 causal": lambda: attention(torch.float32, True),
    "attention bf16 16 x 512 x 64": lambda: attention(torch.bfloat16, False),
    "sort 256 x 2048": lambda: rows(kernels.sort, 256, 2048, {"DOWN": False}, lambda x: torch.sort(x, 1), 1.0),
    "sort 4096 x 256": lambda: rows(kernels.sort, 4096, 256, {"DOWN": False}, lambda x: torch.sort(x, 1), 1.0),
    "cumsum 256 x 2048": lambda: rows(kernels.cumsum, 256, 2048, {"REVERSE": False}, lambda x: torch.cumsum(x, 1)),
    "cumsum 4096 x 4096": lambda: rows(kernels.cumsum, 4096, 4096, {"REVERSE": False}, lambda x: torch.cumsum(x, 1)),
    "recurrence 16384": lambda: recurrence(16384),
    "argmax 256 x 2048": lambda: argmax(256, 2048),
    "argmax 4096 x 4096": lambda: argmax(4096, 4096),
    "gather 1M, 1024": lambda: take(MI, 1024),
    "embedding 16384 x 1024": lambda: gather_rows(16384, 1024),
    "transpose 4096 x 4096": lambda: transpose(4096),
    "histogram 1M, 1024 bins": lambda: histogram(MI, 1024),
    "scatter add 1M, 64K": lambda: scatter_add(MI, 65536),
    "rand 16M": lambda: random_fill(16 * MI),
    "dropout 1M": lambda: dropout(MI),
}
