# SPDX-License-Identifier: Apache-2.0
"""Times a copy kernel in every way that host code has; the figures are wall time of the virtual machine."""
import torch
import triton
import triton.language as tl
import triton.testing
from triton.testing import do_bench


@triton.jit
def copy_kernel(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n), mask=i < n)


x = torch.rand(50_000, device="cuda")
y = torch.empty_like(x)
call = lambda: copy_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), BLOCK=1024)

mean = do_bench(call, warmup=1, rep=5)
median, low, high = do_bench(call, warmup=1, rep=5, quantiles=[0.5, 0.2, 0.8])
graph = triton.testing.do_bench_cudagraph(call, rep=5)
assert 0 < low <= median <= high and mean > 0 and graph > 0

start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
stream = torch.cuda.Stream()
stream.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(stream):
    start.record()
    call()
    end.record()
torch.cuda.current_stream().wait_stream(stream)
end.synchronize()
assert 0 < start.elapsed_time(end) < 60_000


@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=["n"], x_vals=[1000, 2000], line_arg="provider", line_vals=["triton", "torch"],
    line_names=["Triton", "Torch"], plot_name="copy", args={}))
def report(n, provider):
    x = torch.rand(n, device="cuda")
    y = torch.empty_like(x)
    run = (lambda: copy_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)) if provider == "triton" \
        else (lambda: y.copy_(x))
    ms, least, most = triton.testing.do_bench(run, warmup=1, rep=2, quantiles=[0.5, 0.2, 0.8])
    return ms, most, least


assert report.fn(1000, "triton")[0] > 0
try:
    import matplotlib  # noqa: F401
    import pandas  # noqa: F401
except ImportError:
    print("no plots here")
else:
    report.run(print_data=True)
print("ok", triton.testing.get_dram_gbps() > 0)
