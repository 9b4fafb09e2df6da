# SPDX-License-Identifier: Apache-2.0
"""Matrix product with autotuned tiles, grouped program order and a fused activation."""
import torch
import triton
import triton.language as tl


def is_cuda():
    return triton.runtime.driver.active.get_current_target().backend == "cuda"


def configurations():
    assert is_cuda()
    return [triton.Config({"BM": m, "BN": n, "BK": k, "GROUP": 4}, num_stages=s, num_warps=w)
            for m, n, k, s, w in ((64, 64, 32, 3, 4), (128, 64, 32, 4, 4), (32, 32, 64, 5, 2))]


@triton.autotune(configs=configurations(), key=["M", "N", "K"])
@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, cn, BM: tl.constexpr, BN: tl.constexpr,
                  BK: tl.constexpr, GROUP: tl.constexpr, ACTIVATION: tl.constexpr):
    pid = tl.program_id(0)
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * tiles_n
    first = pid // in_group * GROUP
    size = min(tiles_m - first, GROUP)
    tile_m = first + pid % in_group % size
    tile_n = pid % in_group // size
    rows = (tile_m * BM + tl.arange(0, BM)) % M
    columns = (tile_n * BN + tl.arange(0, BN)) % N
    inner = tl.arange(0, BK)
    a = a_ptr + rows[:, None] * am + inner[None, :] * ak
    b = b_ptr + inner[:, None] * bk + columns[None, :] * bn
    sums = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        left = tl.load(a, mask=inner[None, :] < K - k * BK, other=0.0)
        right = tl.load(b, mask=inner[:, None] < K - k * BK, other=0.0)
        sums = tl.dot(left, right, sums)
        a += BK * ak
        b += BK * bk
    if ACTIVATION == "leaky_relu":
        sums = leaky_relu(sums)
    c = sums.to(tl.float16)
    out_rows, out_columns = tile_m * BM + tl.arange(0, BM), tile_n * BN + tl.arange(0, BN)
    inside = (out_rows[:, None] < M) & (out_columns[None, :] < N)
    tl.store(c_ptr + out_rows[:, None] * cm + out_columns[None, :] * cn, c, mask=inside)


@triton.jit
def leaky_relu(x):
    return tl.where(x >= 0, x, 0.01 * x)


def matmul(a, b, activation=""):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), device=a.device, dtype=torch.float16)
    grid = lambda meta: (triton.cdiv(M, meta["BM"]) * triton.cdiv(N, meta["BN"]),)
    matmul_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), ACTIVATION=activation)
    return c


a = torch.randn(200, 136, device="cuda", dtype=torch.float16)
b = torch.randn(136, 250, device="cuda", dtype=torch.float16)
torch.testing.assert_close(matmul(a, b), a @ b, atol=1e-2, rtol=1e-2)
torch.testing.assert_close(matmul(a, b.t().contiguous().t(), "leaky_relu"),
                           torch.nn.functional.leaky_relu(a.float() @ b.float()).half(), atol=1e-2, rtol=1e-2)
print("ok", matmul_kernel.best_config.kwargs["BM"])
