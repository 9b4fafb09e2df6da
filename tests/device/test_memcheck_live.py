# SPDX-License-Identifier: Apache-2.0
"""compute-sanitizer on a real GPU: a sound candidate's plans are clean under it, and a store far outside every buffer, which
neither the virtual machine nor the red zones see, is found. `make test-gpu` on a machine with a GPU and the tool."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEG = ROOT / "catalogue" / "operators" / "aten" / "neg" / "expert.py"
TOOL = os.environ.get("KGBENCH_COMPUTE_SANITIZER") or shutil.which("compute-sanitizer") or next(
    (str(p) for p in sorted(pathlib.Path("/usr/local").glob("cuda*/bin/compute-sanitizer"), reverse=True)), None)

pytestmark = [pytest.mark.gpu,
              pytest.mark.skipif(not pathlib.Path("/dev/nvidiactl").exists(), reason="needs an NVIDIA GPU"),
              pytest.mark.skipif(TOOL is None, reason="needs compute-sanitizer")]

# One program writes 1 MB behind the first element of the output, by an instruction that the machine does not know.
STRAY = """
    far = (out + 250000).to(tl.int64)
    tl.inline_asm_elementwise("{ st.global.b32 [$1], $2; mov.b32 $0, $2; }", "=r,l,r", [far, tl.program_id(0)],
                              dtype=tl.int32, is_pure=False, pack=1)
"""


def judge(file, *options):
    done = subprocess.run([os.environ["KGBENCH_BINARY"], "judge", str(file), "--op", "aten::neg", "--chip", "nvidia", "--target",
                           "none", "--no-time", "--memcheck", "on", "--json", *options], capture_output=True, text=True,
                          timeout=300, env={**os.environ, "KGBENCH_HOME": str(ROOT), "KGBENCH_COMPUTE_SANITIZER": TOOL})
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_a_sound_candidate_is_clean():
    evaluation = judge(NEG, "--tier", "smoke", "--value-sets", "1")
    assert evaluation["verdict"] == "pass", evaluation["findings"]
    assert evaluation["memcheck"].startswith("no error in "), evaluation["memcheck"]
    print("ms:", evaluation["stage_ms"])


def test_a_store_far_outside_is_found(tmp_path):
    text = NEG.read_text()
    last = "    tl.store(out + offsets(index, shape, out_strides), result.to(out.dtype.element_ty), mask=inside)\n"
    assert last in text
    file = tmp_path / "stray.py"
    file.write_text(text.replace(last, last + STRAY))
    evaluation = judge(file, "--workload-spec", "self=f32[64,64]")
    print(json.dumps(evaluation["findings"], indent=1), evaluation.get("memcheck"))
    assert evaluation["verdict"] == "runtime_error"
    found = [f for f in evaluation["findings"] if f["kind"] in ("out_of_bounds", "device_fault")]
    assert found
    # Where nothing lies there the device itself faults in the trial, before the tool is asked.
    if found[0]["kind"] == "out_of_bounds":
        assert found[0]["details"]["kernel"] == "neg_kernel" and "compute-sanitizer" in found[0]["message"]
