# SPDX-License-Identifier: Apache-2.0
"""CUDA candidates on a real GPU: right ones pass and are timed, each mistake has its own verdict, and a fault or a hang costs
its own candidate. `make test-gpu` on a machine with a GPU; NVRTC is torch's or the toolkit's."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data" / "cuda"

pytestmark = [pytest.mark.gpu,
              pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU")]

NEG = """/* kgbench
[[entry]]
name       = "neg"
contiguous = ["self"]
let        = {{ n = "numel(self)" }}
[[entry.launch]]
kernel = "negate<{{dtype(self)}}>"
grid   = "cdiv(n, 128)"
block  = 128
{more}
args   = ["self", "return", "n"]
*/
__device__ unsigned calls;
template <typename T> __global__ void negate(const T* x, T* out, long long n) {{
  long long i = blockIdx.x * 128ll + threadIdx.x;
  {before}
  if (i < n) {{ {work} }}
}}
"""


def neg(work="out[i] = -x[i];", before="", more=""):
    return NEG.format(work=work, before=before, more=more)


def judge(source, op, *options, tmp_path):
    file = tmp_path / "mine.cu"
    file.write_text(source)
    done = subprocess.run([os.environ["KGBENCH_BINARY"], "judge", str(file), "--op", op, "--chip", "nvidia", "--target", "none",
                           "--trial-limit", "5", "--json", *options], capture_output=True, text=True, timeout=600,
                          env={**os.environ, "KGBENCH_HOME": str(ROOT)})
    assert done.returncode in (0, 1), done.stderr
    evaluation = json.loads(done.stdout)
    print(evaluation["verdict"], *sorted({(f["kind"], f["message"], f["workload"] or "") for f in evaluation["findings"]}), sep="\n")
    return evaluation


@pytest.fixture
def judged(tmp_path):
    return lambda source, op, *options: judge(source, op, *options, tmp_path=tmp_path)


SMALL = ["--workload-spec", "self=f32[300,70]", "--memcheck", "off", "--no-time"]


def kinds(evaluation):
    return {f["kind"] for f in evaluation["findings"]}


def test_an_elementwise_add_by_template_passes_and_is_timed(judged):
    source = (DATA / "add.cu").read_text()
    evaluation = judged(source, "aten::add", "--workload-spec", "self=f32[1024,1000] other=f32[1024,1000] alpha=2",
                        "--workload-spec", "self=f16[1024,1000]:transposed other=f16[1000]")
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert evaluation["mode"] == "plan" and evaluation["language"] == "cuda"
    assert len(evaluation["timings"]) == 2
    for timing in evaluation["timings"]:
        assert timing["candidate"] > 0 and timing["ratio"] > 0, timing


@pytest.mark.parametrize("op", ["add", "softmax"])
def test_all_of_an_operator_passes(judged, op):
    evaluation = judged((DATA / f"{op}.cu").read_text(), f"aten::{op}", "--no-time", "--tier", "smoke,hidden")
    assert evaluation["verdict"] == "pass", evaluation["findings"][:3]
    assert not evaluation.get("memcheck", "").startswith("cannot tell"), evaluation["memcheck"]


def test_a_row_softmax_in_shared_memory_passes_and_is_timed(judged):
    evaluation = judged((DATA / "softmax.cu").read_text(), "aten::softmax", "--workload-spec", "self=f32[512,4099] dim=-1")
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert evaluation["timings"] and evaluation["timings"][0]["ratio"] > 0


def test_a_reduction_in_two_launches_over_scratch_passes(judged):
    evaluation = judged((DATA / "sum.cu").read_text(), "aten::sum", "--workload-spec", "self=f32[1000,1003]",
                        "--workload-spec", "self=i32[77,13]:transposed", "--workload-spec", "self=f16[0]")
    assert evaluation["verdict"] == "pass", evaluation["findings"]


def test_a_wrong_kernel_is_wrong(judged):
    evaluation = judged(neg("out[i] = T(1.001f) * -x[i];"), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "wrong_value" and "value_mismatch" in kinds(evaluation)


def test_an_output_that_is_not_written_is_told(judged):
    evaluation = judged(neg("if (i % 7) out[i] = -x[i];"), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "wrong_value" and "uninitialised_output" in kinds(evaluation)


def test_a_store_behind_the_output_spoils_a_red_zone(judged):
    evaluation = judged(neg("out[i] = -x[i];", before="if (i == n) out[n] = T(1);").replace("cdiv(n, 128)", "cdiv(n + 1, 128)"),
                        "aten::neg", *SMALL)
    assert evaluation["verdict"] == "runtime_error" and "red_zone" in kinds(evaluation)


def test_an_input_that_is_written_is_told(judged):
    evaluation = judged(neg("out[i] = -x[i]; const_cast<T*>(x)[i] = T(0);"), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "wrong_contract" and "input_mutated" in kinds(evaluation)


def test_a_stray_access_is_a_fault_or_is_seen_by_compute_sanitizer(judged):
    evaluation = judged(neg("out[i] = -x[i]; if (i == 0) out[1ll << 42] = T(1);"), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "runtime_error"
    assert kinds(evaluation) & {"device_fault", "out_of_bounds"}


def test_a_read_out_of_bounds_is_seen_by_compute_sanitizer(judged):
    if subprocess.run("command -v compute-sanitizer || ls /usr/local/cuda*/bin/compute-sanitizer", shell=True,
                      capture_output=True).returncode != 0:
        pytest.skip("needs compute-sanitizer")
    evaluation = judged(neg("out[i] = -x[i]; if (i == 0 && x[n + 1000000] == T(12345)) out[i] = T(0);"), "aten::neg",
                        "--workload-spec", "self=f32[300,70]", "--memcheck", "on", "--no-time")
    assert evaluation["verdict"] == "runtime_error"
    found = [f for f in evaluation["findings"] if f["kind"] in ("out_of_bounds", "device_fault")][0]
    if found["kind"] == "out_of_bounds":
        assert found["details"]["kernel"] == "negate<float>"
        assert found["line"] == 17 and found["file"].endswith("mine.cu"), found


def test_a_kernel_that_never_ends_costs_its_own_candidate(judged):
    evaluation = judged(neg(before="while (*(volatile unsigned*)&calls == 0) {}"), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "timeout"
    assert judged(neg(), "aten::neg", *SMALL)["verdict"] == "pass", "the device is there for the next one"


def test_what_a_global_variable_holds_does_not_outlive_a_trial(judged):
    """Right in the first three calls, wrong from then on: only a variable that survived trials could do that."""
    counting = "[[entry.launch]]\nkernel = \"count\"\nblock = 1\nargs = []\n*/\n__global__ void count();"
    source = neg("out[i] = before < 3 ? -x[i] : T(0);", before="unsigned before = *(volatile unsigned*)&calls;")
    source = source.replace("*/", counting, 1) + "__global__ void count() { calls += 1; }\n"
    assert judged(source, "aten::neg", *SMALL)["verdict"] == "pass"


def test_a_syntax_error_names_its_line(judged):
    evaluation = judged(neg("out[i] = -y[i];"), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "compile_error"
    assert evaluation["findings"][0]["kind"] == "cuda_compile_error" and evaluation["findings"][0]["line"] == 17


def test_too_much_shared_memory_is_refused_before_the_launch(judged):
    evaluation = judged(neg(more="shared_bytes = 400000"), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "runtime_error" and "device_refused" in kinds(evaluation)


def test_much_shared_memory_is_given(judged):
    evaluation = judged(neg(before="extern __shared__ float held[]; held[50000] = x[0]; __syncthreads();",
                            more="shared_bytes = 200004"), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "pass", evaluation["findings"]


def test_a_kernel_with_a_clock_is_not_judged(judged):
    evaluation = judged(neg(before='long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t));'), "aten::neg", *SMALL)
    assert evaluation["verdict"] == "unsupported" and "reads_clock" in kinds(evaluation)
