# SPDX-License-Identifier: Apache-2.0
"""C++ candidates: compiled in the lock, run in a process of their own, timed; each misdeed has its own verdict."""
import pytest
from conftest import HOME, judged_together, kgbench

EXPERT = HOME / "catalogue" / "operators" / "aten" / "softmax" / "expert.cpp"
HONEST = EXPERT.read_text()
ENTRY = 'extern "C" int kgb_softmax(const KgbCall* call) {'


def spoiled(first_lines):
    """The expert with lines put in front of its entry's work."""
    assert ENTRY in HONEST
    return "#include <unistd.h>\n#include <signal.h>\n#include <cstdlib>\n" + HONEST.replace(ENTRY, ENTRY + "\n" + first_lines)


MISDEEDS = {
    "return 3;": ("runtime_error", "host_exception"),
    "return 0;": ("wrong_value", "uninitialised_output"),
    "volatile int* p = nullptr; *p = 1;": ("runtime_error", "native_crash"),
    "_exit(0);": ("runtime_error", "exited"),
    "for (;;) pause();": ("timeout", "deadline"),
    "static_cast<char*>(call->args[0].tensor->data)[0] ^= 1;": ("wrong_contract", "input_mutated"),
    "write(3, \"garbage garbage garbage garbage\", 32);": ("tampering", "forged_result"),
    "throw 1;": ("runtime_error", None),
}
MEMORY = """
  static char seen[1 << 16]; static size_t bytes = 0;
  size_t n = 4; for (int d = 0; d < call->outputs[0]->ndim; ++d) n *= call->outputs[0]->shape[d];
  if (bytes == n) { std::memcpy(call->outputs[0]->data, seen, n); return 0; }
  struct Keep { const KgbCall* c; size_t n; ~Keep() { std::memcpy(seen, c->outputs[0]->data, n); bytes = n; } } keep{call, n};
"""
SOURCES = {**{lines: spoiled(lines) for lines in MISDEEDS}, "remembers": spoiled(MEMORY),
           "broken": HONEST + "\nint broken = ;\n", "no entry": HONEST.replace("kgb_softmax", "kgb_softmix"),
           "honest": HONEST}  # last in line: its lane has had others before
SHAPE = ["--workload-spec", "self=f32[3,130] dim=1"]


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory):
    folder = tmp_path_factory.mktemp("native")
    requests = {}
    for number, (name, source) in enumerate(SOURCES.items()):
        (folder / f"{number}.cpp").write_text(source)
        requests[name] = ("aten::softmax", folder / f"{number}.cpp")
    return judged_together(requests, "--no-time", "--trial-limit", "3", *SHAPE)


def test_the_expert_passes_and_is_timed(tmp_path):
    evaluation, = judged_together({"expert": ("aten::softmax", EXPERT)}, *SHAPE).values()
    assert evaluation["verdict"] == "pass"
    assert evaluation["mode"] == "in-process"
    assert evaluation["language"] == "cpp"
    assert evaluation["timings"], "a native candidate is timed"
    for timing in evaluation["timings"]:
        assert timing["call"] in ("faster", "same", "slower", "cannot tell")
        assert timing["ratio_low"] <= timing["ratio"] <= timing["ratio_high"]


@pytest.mark.parametrize("lines", MISDEEDS)
def test_each_misdeed_has_its_verdict(evaluations, lines):
    verdict, kind = MISDEEDS[lines]
    assert evaluations[lines]["verdict"] == verdict
    if kind is not None:
        assert kind in {f["kind"] for f in evaluations[lines]["findings"]}


def test_the_next_candidate_is_judged_as_if_nothing_had_been(evaluations):
    assert evaluations["honest"]["verdict"] == "pass"


def test_a_file_that_does_not_compile_names_the_line(evaluations):
    assert evaluations["broken"]["verdict"] == "compile_error"
    finding = evaluations["broken"]["findings"][0]
    assert finding["kind"] == "native_compile_error"
    assert finding["line"] == len(HONEST.splitlines()) + 2


def test_a_missing_entry_is_a_broken_contract(evaluations):
    assert evaluations["no entry"]["verdict"] == "wrong_contract"
    message = evaluations["no entry"]["findings"][0]["message"]
    assert message == ("the library defines no entry `kgb_softmax`; aten::softmax has the entry "
                       "softmax(self, dim, dtype=None) (kgbench show aten::softmax)")


def test_a_result_remembered_by_address_is_wrong_on_the_next_values(evaluations):
    assert evaluations["remembers"]["verdict"] == "wrong_value"


def test_operators_without_a_native_entry_say_so():
    done = kgbench("judge", EXPERT, "--op", "aten::reshape")
    assert done.code == 2
    assert done.err == "error: aten::reshape has no entry that C++ candidates may implement (kgbench show aten::reshape)\n"
