# SPDX-License-Identifier: Apache-2.0
"""How much the tuner finds in the experts, on a GPU: bench/tuner_gpu.py [--seconds 480] [--json FILE] [KGBENCH]

The experts of some sixty operators on workloads of 0.25M to 16M elements are tuned side by side by `kgbench tune`, and each
winner is judged whole and raced against its seed again on fresh values. Prints a line as each operator is done and the
table at the end. FILE is rewritten after each, so that what is known survives whatever ends the run; --out keeps the
tuned kernels.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CONFIRM = 110  # seconds of the budget that are left for the last races

N, ROWS = 1 << 22, "2048,2048"
UNARY = {op: f"self=f32[{ROWS}]" for op in ("aten::cos", "aten::floor", "aten::neg", "aten::mish", "aten::silu", "aten::zeros_like")}
BINARY = {op: f"self={dtype}[{ROWS}] other={dtype}[{ROWS}]" for op, dtype in (
    ("aten::add", "f32"), ("aten::mul", "bf16"), ("aten::sub", "f16"), ("aten::add_", "f32"), ("aten::gt", "f32"),
    ("aten::fmax", "f32"))}
ROWWISE = {"aten::softmax": "self=f32[2048,4096] dim=1", "aten::cumsum": "self=f32[2048,4096] dim=1",
           "aten::sum": "entry=sum_dim_IntList self=f32[2048,4096] dim=[1]", "aten::mean": "entry=mean_dim self=f32[2048,4096] dim=[1]",
           "aten::argmax": "self=f32[2048,4096] dim=1", "aten::amin": "self=f32[2048,4096] dim=[1]"}
OTHERS = {
    "aten::rsqrt": f"self=f32[{ROWS}]@uniform(0.01,10)", "aten::contiguous": f"self=f32[{ROWS}]:transposed",
    "aten::copy_": f"self=f32[{ROWS}] src=f32[{ROWS}]:transposed", "aten::rot90": "self=f32[1024,128,64] k=1 dims=[0,1]",
    "aten::huber_loss": f"self=f32[{ROWS}] target=f32[{ROWS}] reduction=0 delta=1.0",
    "aten::masked_fill_": f"self=f32[{ROWS}] mask=b8[{ROWS}]@bool(0.5) value=0.5",
    "aten::embedding": "weight=f32[32000,256] indices=i64[32768]@indices(32000)",
    "aten::index_select": "self=f32[8192,1024] dim=0 index=i64[6000]@indices(8192)",
    "aten::mm": "self=bf16[1024,1024] mat2=bf16[1024,1024]", "aten::bmm": "self=f16[8,512,512] mat2=f16[8,512,512]",
    "aten::linear": "input=bf16[2048,1024] weight=bf16[1024,1024]",
    "vllm::rms_norm": "out=bf16[2048,4096]@nan input=bf16[2048,4096] weight=bf16[4096] epsilon=1e-6",
    "vllm::fused_add_rms_norm": "input=bf16[2048,4096] residual=bf16[2048,4096] weight=bf16[4096] epsilon=1e-6",
    "vllm::scaled_int8_quant": "input=f16[2048,4096]", "vllm::moe_sum": "input=bf16[2048,4,2048] output=bf16[2048,2048]@nan",
    "vllm::permute_cols": "a=f16[1024,8192] perm=i32[8192]@permutation",
    "vllm::convert_fp8": "output=u8[2048,4096] input=bf16[2048,4096] scale=0.5 kv_dtype='fp8'",
    "cublas::Saxpy": f"n={N} alpha=0.5 x=f32[{N}] incx=1 y=f32[{N}] incy=1",
    "cublas::Sdot": f"n={N} x=f32[{N}] incx=1 y=f32[{N}] incy=1 result=f32[1]",
    "cublas::Sscal": f"n={N} alpha=0.5 x=f32[{N}] incx=1", "cublas::Dasum": f"n={N} x=f64[{N}] incx=1 result=f64[1]",
    "cublas::Sgemm": "transa='N' transb='N' m=1024 n=1024 k=512 alpha=1 A=f32[524288] lda=1024 B=f32[524288] ldb=512 beta=0 "
                     "C=f32[1048576] ldc=1024"}
# Products of a batch of 8, 512 x 512 each: A, B and C have the same length.
BATCHED = {f"cublas::{name}StridedBatched": (
    f"transa='N' transb='N' m=512 n=512 k=512 alpha=1 A={dtype}[2097152] lda=512 stride_a=262144 B={dtype}[2097152] ldb=512 "
    f"stride_b=262144 beta=0 C={dtype}[2097152] ldc=512 stride_c=262144 batch=8")
    for name, dtype in (("Hgemm", "f16"), ("Sgemm", "f32"), ("Dgemm", "f64"))}
MORE = {
    "aten::matmul": "self=f16[1024,1024] other=f16[1024,1024]", "aten::_softmax": "self=f32[2048,4096] dim=1 half_to_float=False",
    "aten::gather": "self=f32[2048,4096] dim=1 index=i64[2048,2048]@indices(4096)",
    "aten::pairwise_distance": "x1=f32[8192,1024] x2=f32[8192,1024]", "aten::square": f"self=f32[{ROWS}]",
    "aten::logaddexp2": f"self=f32[{ROWS}] other=f32[{ROWS}]", "aten::i0": f"self=f32[{ROWS}]",
    "aten::diff": f"self=f32[{ROWS}]", "aten::sort": "self=f32[512,1024]",
    "cublas::Dgemv": "trans='N' m=2048 n=2048 alpha=1 A=f64[4194304] lda=2048 x=f64[2048] incx=1 beta=0 y=f64[2048] incy=1",
    "cublas::Sger": "m=2048 n=2048 alpha=0.5 x=f32[2048] incx=1 y=f32[2048] incy=1 A=f32[4194304] lda=2048",
    "cublas::Ssyrk": "uplo=0 trans=0 n=1024 k=512 alpha=1 A=f32[524288] lda=1024 beta=0 C=f32[1048576] ldc=1024",
    "cublas::Cgemm": "transa='N' transb='N' m=512 n=512 k=512 alpha=1 A=c64[262144] lda=512 B=c64[262144] ldb=512 beta=0 "
                     "C=c64[262144] ldc=512",
    "cublas::Daxpy": f"n={N} alpha=0.5 x=f64[{N}] incx=1 y=f64[{N}] incy=1", "cublas::Dcopy": f"n={N} x=f64[{N}] incx=1 y=f64[{N}] incy=1"}
WORKLOADS = {**UNARY, **BINARY, **ROWWISE, **OTHERS, **BATCHED, **MORE}


class Results:
    """Rows as they come, and the file that always holds all of them."""

    def __init__(self, path):
        self.path, self.rows, self.start = path, [], time.time()

    def add(self, row):
        self.rows.append(row)
        print(f"  {time.time() - self.start:5.0f} s  {row['op']:<28} {summary(row)}", flush=True)
        if self.path:
            beside = self.path.with_suffix(".part")
            beside.write_text(json.dumps(self.rows, indent=1) + "\n")
            beside.replace(self.path)


def summary(row):
    if "error" in row:
        return "not tuned: " + row["error"]
    if not row["improved"]:
        return f"unchanged after {row['races']} races: {row['why']}"
    return "; ".join(f"{t['ratio']:.2f}x [{t['ratio_low']:.2f}, {t['ratio_high']:.2f}] {t['call']}" for t in row["timings"])


def table(rows):
    print(f"\n{'operator':<26} {'seed us':>9} {'tuned us':>9} {'ratio':>6} {'interval':>14}  {'call':<8} what changed")
    better = sorted((r for r in rows if r.get("improved")), key=lambda r: -r["timings"][0]["ratio"])
    for row in better:
        changes = ", ".join(f"{c['what']} {c['from']} -> {c['to']}" for c in row["changes"])
        for t in row["timings"]:
            print(f"{row['op']:<26} {1e6 * t['seed_s']:>9.2f} {1e6 * t['tuned_s']:>9.2f} {t['ratio']:>5.2f}x "
                  f"{'[%.2f, %.2f]' % (t['ratio_low'], t['ratio_high']):>14}  {t['call']:<8} {changes}")
            print(f"{'':<26}   {t['workload']}")
    for row in (r for r in rows if not r.get("improved")):
        print(f"{row['op']:<26} {summary(row)}")
    print(f"\n{len(better)} of {len(rows)} experts are faster, each interval above 1.00; "
          f"{sum(r.get('races', 0) for r in rows)} races, {sum(r.get('wrong', 0) for r in rows)} proposals were wrong")


def tune(options, results, folder):
    tasks = folder / "tasks.jsonl"
    chosen = options.op or list(WORKLOADS)
    tasks.write_text("".join(json.dumps({"op": op, "time": [WORKLOADS[op]]}) + "\n" for op in chosen))
    command = [options.kgbench, "tune", "--tasks", tasks, "--json", "--rounds", options.rounds, "--value-sets", 1,
               "--minutes", max(0.2, (options.seconds - CONFIRM) / 60), "-j", options.lanes or len(chosen), "--target", "none"]
    command += ["--out", options.out] if options.out else []
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True)
    # First asked to end, which keeps what has won; killed when that takes too long.
    watch = [threading.Timer(options.seconds, process.send_signal, [signal.SIGINT]),
             threading.Timer(options.seconds + 45, process.kill)]
    for timer in watch:
        timer.daemon = True
        timer.start()
    for line in process.stdout:
        row = json.loads(line)
        row.pop("source", None)
        results.add(row)
    for timer in watch:
        timer.cancel()
    code = process.wait()
    for op in sorted(set(chosen) - {row["op"] for row in results.rows}):
        results.add({"op": op, "error": f"no result before the end (kgbench tune: exit code {code})"})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kgbench", nargs="?", default=str(ROOT / "kgbench"))
    parser.add_argument("--seconds", type=float, default=480, help="for all of it")
    parser.add_argument("--rounds", type=int, default=40, help="races of each operator at most")
    parser.add_argument("--lanes", type=int, help="operators side by side (default: all)")
    parser.add_argument("--op", action="append", choices=WORKLOADS, help="these alone")
    parser.add_argument("--json", type=pathlib.Path, help="the rows, after each operator")
    parser.add_argument("--out", help="folder for the tuned kernels")
    options = parser.parse_args()
    results = Results(options.json)
    with tempfile.TemporaryDirectory() as folder:
        try:
            tune(options, results, pathlib.Path(folder))
        finally:
            table(results.rows)
    print(f"{time.time() - results.start:.0f} s, {len(os.sched_getaffinity(0))} cores")


if __name__ == "__main__":
    main()
