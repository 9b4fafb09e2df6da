# SPDX-License-Identifier: Apache-2.0
"""CUDA candidates without a GPU: their plans come of the launch description, their code of NVRTC in its lock, and what
cannot be checked without a device is said and not passed. tests/device/test_cu_live.py runs them on a GPU."""
import json
import os
import pathlib
import sys

import pytest
from conftest import HOME, kgbench

DATA = HOME / "tests" / "data" / "cuda"
ADD = (DATA / "add.cu").read_text()
SHAPE = ["--workload-spec", "self=f32[5,3] other=f32[3] alpha=2"]
DESCRIPTION = """/* kgbench
[[entry]]
name = "neg"
let  = { n = "numel(self)" }
[[entry.launch]]
kernel = "negate"
grid   = "cdiv(n, 128)"
block  = 128
args   = ["self", "return", "n"]
*/
"""
NEGATE = """__global__ void negate(const float* x, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = -x[i];
}
"""


def has_nvrtc():
    nvidia = [p for folder in sys.path for p in pathlib.Path(folder).glob("nvidia/*/lib/libnvrtc.so.*")]
    return bool(nvidia) or "KGBENCH_NVRTC_LIBRARY" in os.environ


pytestmark = pytest.mark.skipif(not has_nvrtc(), reason="needs NVRTC, which torch's packages bring")


@pytest.fixture
def judge(tmp_path):
    def judge(source, *options, op="aten::neg", env=None):
        file = tmp_path / "mine.cu"
        file.write_text(source)
        done = kgbench("judge", file, "--op", op, "--target", "none", "--json", *options, env=env)
        assert done.code in (0, 1, 3), done.err
        return json.loads(done.out)
    return judge


def only(evaluation, kind):
    found = [f for f in evaluation["findings"] if f["kind"] == kind]
    assert found, evaluation["findings"]
    return found[0]


NEG_SHAPE = ["--workload-spec", "self=f32[5,3]"]


@pytest.mark.parametrize("op", ["add", "softmax"])
def test_without_a_device_everything_but_the_values_is_judged(op):
    done = kgbench("judge", DATA / f"{op}.cu", "--op", f"aten::{op}", "--tier", "smoke", "--target", "sm_80,sm_90,sm_100",
                   "--json")
    evaluation = json.loads(done.out)
    assert done.code == 1
    assert evaluation["verdict"] == "unsupported", evaluation["findings"][:3]
    assert evaluation["language"] == "cuda" and evaluation["mode"] == "plan"
    assert {f["kind"] for f in evaluation["findings"]} == {"needs_device"}
    assert "--chip nvidia" in evaluation["findings"][0]["message"]
    assert [t["target"] for t in evaluation["targets"]] == ["sm_80", "sm_90", "sm_100"]
    for target in evaluation["targets"]:
        assert target["ok"] and target["registers"] > 0 and target["kernels"] > 1, target
    assert not evaluation["timings"]


def test_a_plan_is_what_the_description_says():
    done = kgbench("plan", DATA / "sum.cu", "--op", "aten::sum", "--workload-spec", "self=f16[3,1000]:transposed")
    assert done.code == 0, done.err
    assert any(line.strip().startswith("copy     tmp") for line in done.out.splitlines()), "not contiguous: a copy is made"
    launches = [line for line in done.out.splitlines() if "launch " in line]
    assert len(launches) == 2
    assert "partial_sums<__half, __half>[3,1,1]" in launches[0] and "block 256,1,1, shared 0 B" in launches[0]
    assert "last_sum<__half>[1,1,1]" in launches[1] and "blocks=3" in launches[1]
    assert launches[0].endswith("sum.cu:11"), "the place of the launch in the description"


def test_an_empty_grid_launches_nothing():
    done = kgbench("plan", DATA / "add.cu", "--op", "aten::add", "--workload-spec", "self=f32[0,3] other=f32[3]")
    assert done.code == 0, done.err
    assert "launch" not in done.out


@pytest.mark.parametrize("change, kind, line, says", [
    (("out[i] = -x[i];", "out[i] = -y[i];"), "cuda_compile_error", 13, "\"y\" is undefined"),
    (('"negate"', '"negated"'), "cuda_compile_error", 0, "negated"),
    (('"self", "return", "n"', '"self", "return"'), "bad_description", 6, "takes 3 arguments, and the launch gives 2"),
    (('"self", "return", "n"', '"self", "return", "f64(n)"'), "bad_description", 6, "f32(..)"),
    (('"self", "return", "n"', '"self", "return", "n + 5000000000"'), "bad_description", 6, "does not fit the 4 bytes"),
    (("block  = 128", "block  = 2048"), "bad_description", 6, "outside 1 .. 1024"),
    (("cdiv(n, 128)", "cdiv(m, 128)"), "bad_description", 6, "'m' is neither an argument"),
    (("cdiv(n, 128)", "cdiv(n, 128"), "bad_description", 7, "grid"),
    (("block  = 128", "blocks = 128"), "bad_description", 8, "unknown key 'blocks'"),
    (("[[entry]]", "[[entry"), "bad_description", 2, "no TOML"),
    (('"neg"', '"negative"'), "bad_description", 3, "has no entry 'negative'"),
    (("int i =", "// " + 300_000 * "x" + "\n  int i ="), "bad_description", 0, "may have 256 KiB"),
    (("/* kgbench", "/* kernels"), "bad_description", 1, "holds no launch description"),
    (("block  = 128", "block  = 128\nshared_bytes = 300000"), "device_refused", 6, "needs 300000 bytes of shared memory"),
    (("if (i < n)", 'long long t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)); if (i < n)'),
     "reads_clock", 0, "%clock64"),
    (("out[i] = -x[i]", "out[i] = -x[i] + 0 * clock()"), "reads_clock", 0, "%clock"),
    (("__global__ void", 'extern "C" __global__ void'), None, 0, ""),
    (("out[i] = -x[i]", 'asm("nonsense;"); out[i] = -x[i]'), "cuda_compile_error", 0, "nonsense"),
    (("__global__ void", "struct Much { char at[4000]; };\n__global__ void more(Much m) {}\n__global__ void"), None, 0, ""),
])
def test_each_mistake_is_told_with_its_line(judge, change, kind, line, says):
    source = DESCRIPTION + NEGATE
    assert change[0] in source
    evaluation = judge(source.replace(*change, 1), *NEG_SHAPE)
    if kind is None:
        assert evaluation["verdict"] == "unsupported", "no mistake: what is not launched does no harm"
        return
    finding = only(evaluation, kind)
    assert says in finding["message"], finding
    assert finding.get("line", 0) == line, finding
    assert line == 0 or finding["file"].endswith("mine.cu")
    verdict = {"device_refused": "runtime_error", "reads_clock": "unsupported"}.get(kind, "compile_error")
    assert evaluation["verdict"] == verdict


def test_an_entry_that_is_not_described_is_a_broken_contract(judge):
    evaluation = judge(ADD.replace('"add_Tensor", "add_out"', '"add_out"'), *SHAPE, op="aten::add")
    assert evaluation["verdict"] == "wrong_contract"
    assert only(evaluation, "missing_entry")["message"] == (
        "the launch description has no [[entry]] named 'add_Tensor'; aten::add has the entry "
        "add_Tensor(self, other, *, alpha=1) (kgbench show aten::add)")


@pytest.mark.parametrize("path", ["/etc/passwd", "/etc/shadow", "/proc/1/environ", str(HOME / "README.md"),
                                  str(HOME / "catalogue" / "operators" / "aten" / "neg" / "reference.py")])
def test_a_source_can_include_no_file_of_the_host(judge, path):
    evaluation = judge(DESCRIPTION + f'#include "{path}"\n' + NEGATE, *NEG_SHAPE)
    finding = only(evaluation, "cuda_compile_error")
    assert finding["line"] == 11
    assert "could not open source file" in finding["message"] or "cannot open source file" in finding["message"]
    assert "root:" not in json.dumps(evaluation["findings"])


def test_a_source_that_never_compiles_to_its_end_meets_the_limit(judge):
    endless = ("template <int A, int B> struct Slow {\n"
               "  static const long long v = Slow<A - 1, B>::v + Slow<A - 1, B + (1 << A)>::v;\n};\n"
               "template <int B> struct Slow<0, B> { static const long long v = B; };\n"
               "__device__ long long much = Slow<26, 1>::v;\n")
    evaluation = judge(DESCRIPTION + endless + NEGATE, *NEG_SHAPE, "--author-limit", "6")
    assert evaluation["verdict"] in ("timeout", "out_of_memory"), evaluation["findings"]
    assert "NVRTC was stopped at " in evaluation["findings"][0]["message"]
    assert judge(DESCRIPTION + NEGATE, *NEG_SHAPE)["verdict"] == "unsupported", "the next one has a compiler again"


@pytest.mark.parametrize("op, entry, why", [("aten::bernoulli", "bernoulli", "random"), ("aten::index", "index_Tensor", "shape")])
def test_what_a_description_cannot_carry_is_unsupported(judge, op, entry, why):
    evaluation = judge(DESCRIPTION.replace('"neg"', f'"{entry}"') + NEGATE, "--tier", "smoke", op=op)
    assert evaluation["verdict"] in ("unsupported", "wrong_contract")
    assert why in only(evaluation, "recorder_unsupported")["message"]


def test_the_second_time_the_code_comes_from_the_cache(judge, tmp_path):
    source = DESCRIPTION + NEGATE + f"// {tmp_path}\n"
    first = judge(source, *NEG_SHAPE)["stage_ms"]["compile"]
    second = judge(source, *NEG_SHAPE)["stage_ms"]["compile"]
    assert second < first / 2


def test_without_nvrtc_one_line_says_what_to_install(judge, tmp_path):
    (tmp_path / "none.so").write_text("")
    evaluation = judge(DESCRIPTION + NEGATE, *NEG_SHAPE,
                       env={**os.environ, "KGBENCH_NVRTC_LIBRARY": str(tmp_path / "none.so")})
    assert evaluation["verdict"] == "infra"
    assert "NVRTC cannot be opened" in evaluation["findings"][0]["message"]


def test_the_stand_in_of_a_driver_says_that_it_runs_no_cuda_code(judge):
    env = {**os.environ, "KGBENCH_CUDA_LIBRARY": os.environ["KGBENCH_STANDIN"]}
    evaluation = judge(DESCRIPTION + NEGATE, *NEG_SHAPE, "--catalogue", str(HOME / "tests" / "standin" / "catalogue"), "--chip",
                       "standin", env=env)
    assert evaluation["verdict"] == "unsupported"
    assert "chip standin" in only(evaluation, "needs_device")["message"]


@pytest.mark.parametrize("op", ["aten::add", "aten::sort", "vllm::rms_norm", "cublas::Sgemm"])
def test_a_stub_plans_and_compiles(tmp_path, op):
    file = tmp_path / "mine.cu"
    assert kgbench("new", op, "--out", file).code == 0
    done = kgbench("judge", file, "--op", op, "--tier", "smoke", "--target", "none", "--json")
    evaluation = json.loads(done.out)
    assert evaluation["verdict"] == "unsupported", evaluation["findings"][:2]
    assert {f["kind"] for f in evaluation["findings"]} == {"needs_device"}


def test_sanitize_says_that_the_machine_runs_no_cuda_code(tmp_path):
    file = tmp_path / "mine.cu"
    file.write_text(DESCRIPTION + NEGATE)
    done = kgbench("sanitize", file, "--op", "aten::neg", *NEG_SHAPE)
    assert done.code != 0 and "CUDA C++" in done.out + done.err
