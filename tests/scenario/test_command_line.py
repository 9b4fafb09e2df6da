# SPDX-License-Identifier: Apache-2.0
"""Exit codes, and the whole text of what the program says about a mistake."""
import json

import pytest
from conftest import FAST, HOME, expert, kgbench

GOOD = str(expert("vllm::rms_norm"))
JUDGE = ["judge", GOOD, "--op", "rms_norm"]

MISTAKES = [
    (["judge", "absent.py", "--op", "mm"], "cannot open 'absent.py': No such file or directory"),
    (["judge", "/", "--op", "mm"], "'/' is not a regular file"),
    (["judge"], "no candidate. Name a file: kgbench judge mine.py --op aten::softmax"),
    (["judge", GOOD], "no operator. Name one with --op (kgbench list)"),
    (["judge", GOOD, "--op", "softmx"], "softmx is no operator.  Did you mean aten::softmax or aten::_softmax?  (kgbench list)"),
    (["judge", GOOD, "--op", "zzzzzzzz"], "zzzzzzzz is no operator.  (kgbench list)"),
    (["judge", GOOD, "--op", "attention"], "attention is no operator.  Did you mean vllm::paged_attention_v1 or "
     "vllm::paged_attention_v2?  (kgbench list)"),
    ([*JUDGE, "--frobnicate"], "'--frobnicate' is no option of kgbench judge  (kgbench judge --help)"),
    ([*JUDGE, "--seed", "xyz"], "--seed 'xyz' is not 1 to 16 hexadecimal digits"),
    ([*JUDGE, "--seed", "11223344556677889"], "--seed '11223344556677889' is not 1 to 16 hexadecimal digits"),
    ([*JUDGE, "--tier", "smok"], "no tier 'smok' (did you mean 'smoke'?). Tiers: smoke, full, hidden, published"),
    ([*JUDGE, "--target", "sm_91"], "no target 'sm_91' (did you mean 'sm_90'?). Targets: all, none, sm_80, sm_90, "
     "sm_100, gfx942, gfx950"),
    ([*JUDGE, "-j", "0"], "--lanes: Value 0 not in range 1 to 1024  (kgbench judge --help)"),
    ([*JUDGE, "--tier", "smoke", "--only", "s999"], "vllm::rms_norm has no workload 's999' in the tiers asked for. "
     "kgbench show vllm::rms_norm lists them"),
    (["run", "--contestant", "dir:/nowhere"], "'/nowhere' is no folder. dir:PATH names a folder with one file per "
     "operator"),
    (["run", "--contestant", "nobody"], "no contestant 'nobody'. Use experts, dir:PATH, library:NAME, replay:RUN, tuner, agent:NAME, or a method of catalogue/methods: one-shot, best-of-k, union-of-k, repair (kgbench list --contestants)"),
    (["run", "--resume", "/nowhere"], "no run at /nowhere (it has no run.sqlite). Name the folder that kgbench run "
     "printed"),
    (["report", "nosuch"], "no run at nosuch (there is no such file or folder). Name the folder that kgbench run printed"),
    ([*JUDGE, "--targt", "none"], "'--targt' is no option of kgbench judge (did you mean '--target'?)  (kgbench judge --help)"),
    (["list", "--sute=ms"], "'--sute' is no option of kgbench list (did you mean '--suite'?)  (kgbench list --help)"),
    (["--hlep"], "'--hlep' is no option of kgbench (did you mean '--help'?)  (kgbench --help)"),
    ([*JUDGE, "--only", "f1"], "vllm::rms_norm has no workload 'f1' in the tiers asked for. It is of the tier full: --workload full"),
    ([*JUDGE, "--tier", "smoke", "--only", "h1"], "vllm::rms_norm has no workload 'h1' in the tiers asked for. "
     "A hidden one needs the seed that drew it: --workload hidden --seed"),
    (["judg", GOOD], "'judg' is no command (did you mean 'judge'?)  (kgbench --help)"),
    (["frobnicate"], "'frobnicate' is no command  (kgbench --help)"),
    (["new", "softmax", "--out", "nodir/x.py"], "there is no folder 'nodir'. Name a file in a folder that exists with --out"),
    (["list", "--thinned"], "--thinned requires --stats  (kgbench list --help)"),
    (["judge", "--stream", "--workload-spec", "self=f32["], "'self=f32[' is no tensor: write DTYPE[SIZES], as "
     "f16[4096,32003] or bf16[8,128]:transposed. Dtypes: f16 bf16 f32 f64 f8e4m3 f8e5m2 i8 i16 i32 i64 u8 b8 c64 c128"),
    (["judge", "--stream", "--baseline", "X"], "--baseline and --time-spec go with one candidate, not with --stream"),
    (["list", "--suite", "nope"], "'nope' is no suite"),
    (["list", "softmax", "--agents"], "word excludes --agents  (kgbench list --help)"),
    (["list", "--suite", "vllm", "--methods"], "--suite excludes --methods  (kgbench list --help)"),
    (["list", "--stats", "--contestants"], "--contestants excludes --stats  (kgbench list --help)"),
    (["list", "--stats", "--json"], "--json excludes --stats  (kgbench list --help)"),
    (["show", "nope"], "nope is no operator.  (kgbench list)"),
    (["plan", GOOD, "--op", "rms_nor"], "rms_nor is no operator.  Did you mean vllm::rms_norm or "
     "vllm::fused_add_rms_norm?  (kgbench list)"),
]


@pytest.mark.parametrize("arguments, text", MISTAKES, ids=[" ".join(a).replace(GOOD, "FILE") for a, _ in MISTAKES])
def test_a_mistake_is_said_in_one_line_and_ends_with_2(arguments, text):
    done = kgbench(*arguments)
    assert (done.code, done.out, done.err) == (2, "", f"error: {text}\n")


def test_a_chip_that_is_not_here_is_named_in_one_line():
    done = kgbench(*JUDGE, "--chip", "no_such_chip")  # how it goes on depends on what is in the machine
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("error: chip 'no_such_chip' ") and "Use --chip " in done.err


def test_a_folder_without_candidates_says_how_files_are_named(tmp_path):
    done = kgbench("run", "--contestant", f"dir:{tmp_path}", "--out", tmp_path / "run")
    assert (done.code, done.err) == (2, f"error: 'dir:{tmp_path}' has no candidate for any operator asked for. Files "
                                     "are named <op>.py or <source>/<op>.py, for example aten/softmax.py\n")
    assert not (tmp_path / "run").exists()


def test_a_file_that_is_there_is_not_overwritten(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("precious")
    done = kgbench("new", "softmax", "--out", file)
    assert (done.code, done.err) == (2, f"error: {file} exists already. Name another file with --out\n")
    assert file.read_text() == "precious"


FILES = {"empty": (b"", "the file is empty"), "blank": (b" \n\t\n", "the file is empty"),
         "binary": (b"\xff\xfe\x00", "the file is not UTF-8 text"),
         "huge": (b"#" * (5 << 20), "the file is larger than 4 MiB"),
         "unparsable": (b"def rms_norm(:\n", "invalid syntax")}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_cannot_be_a_candidate_gets_a_verdict_and_1(name, tmp_path):
    content, reason = FILES[name]
    file = tmp_path / "mine.py"
    file.write_bytes(content)
    done = kgbench("judge", file, "--op", "rms_norm", *FAST)
    assert (done.code, done.err) == (1, "")
    first, second = done.out.splitlines()[:2]
    assert first == f"vllm::rms_norm  {file}  compile_error"
    assert second.split(maxsplit=1)[0] == "reason" and reason in second


def test_an_entry_that_the_file_lacks_is_said_with_its_signature(tmp_path):
    """The file does not say how the operator is called; whoever reads of it has perhaps never seen the card."""
    file = tmp_path / "mine.py"
    file.write_text("def mm(self, mat2):\n    return self\n")
    done = kgbench("judge", file, "--op", "mm", *FAST)
    assert done.code == 1
    assert ("the file defines no function mm_out, mm_dtype; aten::mm has the entries mm_out(self, mat2, *, out), "
            "mm_dtype(self, mat2, out_dtype) (kgbench show aten::mm)\n") in done.out, done.out + done.err


def test_a_right_candidate_ends_with_0():
    done = kgbench(*JUDGE, *FAST)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0] == f"vllm::rms_norm  {GOOD}  pass"


@pytest.mark.parametrize("change", [{"KGBENCH_PYTHON": "/no/such/python"}, {"KGBENCH_HOME": "/no/such/home"}])
def test_a_broken_installation_is_never_the_candidates_fault(change):
    import os
    done = kgbench(*JUDGE, *FAST, env={**os.environ, **change})
    assert done.code in (2, 3) if "KGBENCH_HOME" in change else done.code == 3
    assert done.err.startswith("error: ") and done.out == ""
    assert list(change.values())[0] in done.err


def test_contestants_are_listed_with_what_they_repeat_and_whether_they_were_run_here():
    rows = {row["contestant"]: row for row in json.loads(kgbench("list", "--contestants", "--json").out)}
    methods = {path.stem for path in (HOME / "catalogue/methods").glob("*.toml")}
    agents = {"agent:" + path.stem for path in (HOME / "catalogue/agents").glob("*.toml")}
    libraries = {"library:" + path.stem for path in (HOME / "catalogue/libraries").glob("*.toml")}
    assert set(rows) == methods | agents | libraries | {"experts", "dir:PATH", "replay:RUN", "tuner"}
    assert "Pass@1" in rows["one-shot"]["repeats"] and rows["best-of-k"]["temperature"] == 0.8
    assert {name for name in agents if rows[name]["run_here"]} == {"agent:aider", "agent:mini-swe-agent"}
    text = kgbench("list", "--contestants").out
    assert all(name in text for name in rows) and rows["repair"]["repeats"] in text
    alone = kgbench("list", "--agents").out
    assert "agent:opencode" in alone and "not run here" in alone and "one-shot" not in alone


def test_help_and_version_end_with_0():
    assert kgbench("--version").out.startswith("kgbench ")
    for verb in ("run", "judge", "report", "plan", "list", "show", "new", "doctor"):
        done = kgbench(verb, "--help")
        assert done.code == 0 and "EXAMPLES" in done.out
    assert "Subcommands" in kgbench().out or "SUBCOMMANDS" in kgbench().out


def test_the_gate_that_is_told_is_the_last_that_ran(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text(expert("aten::neg").read_text() + "\n_own = neg\n\n\ndef neg(self):\n"
                    "    return torch.empty_like(self) if self.dim() == 1 else _own(self)\n")
    done = kgbench("judge", mine, "--op", "neg", "--json", *FAST)
    told = json.loads(done.out)
    assert done.code == 1 and told["verdict"] == "wrong_value", told["verdict"]
    assert told["reached"] == "honest", "what is wrong is not timed"
