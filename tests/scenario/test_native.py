# SPDX-License-Identifier: Apache-2.0
"""C++ candidates: compiled in the lock, run in a process of their own, timed; each misdeed has its own verdict."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXPERT = ROOT / "catalogue" / "operators" / "aten" / "softmax" / "expert.cpp"

HONEST = EXPERT.read_text()
ENTRY = 'extern "C" int kgb_softmax(const KgbCall* call) {'


def spoiled(first_lines):
    """The expert with lines put in front of its entry's work."""
    assert ENTRY in HONEST
    return "#include <unistd.h>\n#include <signal.h>\n#include <cstdlib>\n" + HONEST.replace(ENTRY, ENTRY + "\n" + first_lines)


def judge(tmp_path, source, *options):
    file = tmp_path / "mine.cpp"
    file.write_text(source)
    done = subprocess.run([os.environ["KGBENCH_BINARY"], "judge", str(file), "--op", "aten::softmax", "--tier", "smoke",
                           "--json", *options], capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr
    evaluation = json.loads(done.stdout)
    assert (done.returncode == 0) == (evaluation["verdict"] == "pass")
    return evaluation


def test_the_expert_passes_and_is_timed(tmp_path):
    evaluation = judge(tmp_path, HONEST)
    assert evaluation["verdict"] == "pass"
    assert evaluation["mode"] == "in-process"
    assert evaluation["language"] == "cpp"
    assert evaluation["timings"], "a native candidate is timed"
    for timing in evaluation["timings"]:
        assert timing["call"] in ("faster", "same", "slower", "cannot tell")
        assert timing["ratio_low"] <= timing["ratio"] <= timing["ratio_high"]


@pytest.mark.parametrize("lines, verdict, kind", [
    ("return 3;", "runtime_error", "host_exception"),
    ("return 0;", "wrong_value", "uninitialised_output"),
    ("volatile int* p = nullptr; *p = 1;", "runtime_error", "native_crash"),
    ("_exit(0);", "runtime_error", "exited"),
    ("for (;;) pause();", "timeout", "deadline"),
    ("static_cast<char*>(call->args[0].tensor->data)[0] ^= 1;", "wrong_contract", "input_mutated"),
    ("write(3, \"garbage garbage garbage garbage\", 32);", "tampering", "forged_result"),
    ("throw 1;", "runtime_error", None),
])
def test_each_misdeed_has_its_verdict(tmp_path, lines, verdict, kind):
    options = ("--only", "s0", "--no-time", "--trial-limit", "3")
    evaluation = judge(tmp_path, spoiled(lines), *options)
    assert evaluation["verdict"] == verdict
    if kind is not None:
        assert kind in {f["kind"] for f in evaluation["findings"]}
    # The next candidate is judged as if nothing had been.
    assert judge(tmp_path, HONEST, *options)["verdict"] == "pass"


def test_a_file_that_does_not_compile_names_the_line(tmp_path):
    evaluation = judge(tmp_path, HONEST + "\nint broken = ;\n", "--no-time")
    assert evaluation["verdict"] == "compile_error"
    finding = evaluation["findings"][0]
    assert finding["kind"] == "native_compile_error"
    assert finding["line"] == len(HONEST.splitlines()) + 2


def test_a_missing_entry_is_a_broken_contract(tmp_path):
    evaluation = judge(tmp_path, HONEST.replace("kgb_softmax", "kgb_softmix"), "--no-time")
    assert evaluation["verdict"] == "wrong_contract"
    assert "kgb_softmax" in evaluation["findings"][0]["message"]


def test_a_result_remembered_by_address_is_wrong_on_the_next_values(tmp_path):
    memory = """
  static char seen[1 << 16]; static size_t bytes = 0;
  size_t n = 4; for (int d = 0; d < call->outputs[0]->ndim; ++d) n *= call->outputs[0]->shape[d];
  if (bytes == n) { std::memcpy(call->outputs[0]->data, seen, n); return 0; }
  struct Keep { const KgbCall* c; size_t n; ~Keep() { std::memcpy(seen, c->outputs[0]->data, n); bytes = n; } } keep{call, n};
"""
    evaluation = judge(tmp_path, spoiled(memory), "--only", "s0", "--no-time")
    assert evaluation["verdict"] == "wrong_value"


def test_operators_without_a_native_entry_say_so(tmp_path):
    file = tmp_path / "mine.cpp"
    file.write_text(HONEST)
    done = subprocess.run([os.environ["KGBENCH_BINARY"], "judge", str(file), "--op", "aten::reshape"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == "error: aten::reshape has no entry that C++ candidates may implement (kgbench show aten::reshape)\n"
