# SPDX-License-Identifier: Apache-2.0
"""kgbench count: what it prints and stores, and our own kernels against what their cards say they cost."""
import json
import sqlite3

import pytest
from conftest import expert, kgbench

ADD = """import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, n, BLOCK * tl.num_programs(0)):
        i = start + tl.arange(0, BLOCK)
        tl.store(out + i, tl.load(x + i, i < n) + tl.load(y + i, i < n), i < n)


def add_Tensor(self, other, *, alpha=1):
    out = torch.empty_like(self)
    add_kernel[(2,)](self, other, out, self.numel(), BLOCK=64)
    return out


add_Scalar = add_out = add_Tensor
"""
SPEC = ["--workload-spec", "self=f32[1000] other=f32[1000]"]


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(ADD)
    return file


def count(*arguments):
    """The calls that were counted."""
    done = kgbench("count", *arguments, "--json", "--seed", "5eed")
    assert done.code == 0, done.out + done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_a_call_is_printed_with_its_lines_and_stored_with_its_rows(mine, tmp_path):
    done = kgbench("count", mine, "--op", "aten::add", *SPEC, "--seed", "5eed", "--chip", "h200", "--out", tmp_path / "counts")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith(f"== aten::add  {mine}  ")
    assert "  FLOPs        1,024: add f32 1,024" in lines
    assert "  read         7.8 KiB in 64 requests, 3.9 sectors each, 100 % used; 7.8 KiB unique" in lines
    assert "    loop at line 8: 16 trips, entered 2 times" in lines
    assert "    load of self at line 10: 3.9 KiB in 32 requests, 3.9 sectors each, 100 % used" in lines
    assert any(line.startswith("    h200     memory bound, at least 2.5 ns") for line in lines)
    assert lines[-3:-1] == ["  call 2       the same numbers", "  call 3       the same numbers"]
    db = sqlite3.connect(tmp_path / "counts" / "run.sqlite")
    assert db.execute("SELECT op, candidate, seed, call FROM counted_call").fetchall() == [
        ("aten::add", str(mine), "0000000000005eed", call) for call in (1, 2, 3)]
    assert db.execute("SELECT flops, unique_bytes, programs, line FROM counted_launch").fetchall() == [(1024, 12000, 2, 15)] * 3
    assert db.execute("SELECT DISTINCT argument, parameters, unique_read FROM counted_argument ORDER BY parameters").fetchall() == [
        ("output return", "out", 0), ("self", "x", 4000), ("other", "y", 4000)]
    assert db.execute("SELECT file, line, entered, trips FROM counted_loop").fetchone() == (str(mine), 8, 2, 16)


def test_of_several_workloads_there_is_a_line_each_unless_all_is_asked_for(mine):
    two = ["--workload-spec", "self=f32[1000] other=f32[1000]", "--workload-spec", "self=f32[64] other=f32[64]"]
    short = kgbench("count", mine, "--op", "aten::add", *two, "--no-store")
    lines = short.out.splitlines()
    assert (short.code, len(lines)) == (0, 3), short
    assert ": 1 launch, 1,024 FLOPs, " in lines[0] and " unique, " in lines[1]
    assert lines[2] == "Kernels, loops, arguments and the other chips: --all, or --only ID of one workload"
    whole = kgbench("count", mine, "--op", "aten::add", *two, "--no-store", "--all")
    assert whole.out.count("== aten::add") == 2 and "  FLOPs        1,024: add f32 1,024" in whole.out


def test_counts_are_added_to_the_store_of_a_run(mine, candidates, tmp_path):
    run = tmp_path / "run"
    kgbench("run", "--contestant", f"dir:{candidates}", "--suite", "demo", "--out", run, "--tier", "smoke", "--target", "none",
            "--no-time")
    before = kgbench("report", run).out
    for _ in range(2):
        assert kgbench("count", mine, "--op", "aten::add", *SPEC, "--out", run).code == 0
    db = sqlite3.connect(run / "run.sqlite")
    assert db.execute("SELECT count(*) FROM counted_call").fetchone() == (6,)
    assert kgbench("report", run).out == before


def test_without_a_store_nothing_is_written_and_json_has_a_line_for_each_call(mine, tmp_path):
    first, *others = count(mine, "--op", "aten::add", *SPEC, "--no-store", "--out", tmp_path / "counts")
    assert not (tmp_path / "counts").exists()
    assert [c["call"] for c in others] == [2, 3]
    assert first["op"] == "aten::add"
    assert {chip["chip"] for chip in first["rooflines"]} >= {"sm_80", "sm_90", "h200", "sm_100", "gfx942", "gfx950"}
    assert all(chip["bound"] == "memory" for chip in first["rooflines"])


def test_workloads_are_chosen_by_tier_id_and_entry():
    file = expert("aten::add")
    calls = count(file, "--op", "aten::add", "--only", "s1,s0", "--no-store")
    assert [c["workload"] for c in calls] == ["s1"] * 3 + ["s0"] * 3
    calls = count(file, "--op", "aten::add", "--workload", "smoke", "--entry", "add_Scalar", "--no-store")
    assert calls and all("other" not in {a["argument"] for a in c["arguments"]} for c in calls)


# (operator, workload, what of the card's cost is exact). Shapes are multiples of the experts' blocks where FLOPs are
# compared, since a tile is computed whole.
EXACT = [
    ("aten::add", "self=f32[64,1024] other=f32[64,1024]", {"flops", "bytes"}),
    ("aten::mul", "self=f16[64,1024] other=f16[64,1024]", {"flops", "bytes"}),
    ("aten::mul", "self=f32[7,1001] other=f32[7,1001]", {"bytes"}),
    ("aten::div", "self=f32[64,1024] other=f32[64,1024]", {"flops", "bytes"}),
    ("aten::mm", "self=f16[256,128] mat2=f16[128,512]", {"flops", "bytes"}),
    ("aten::bmm", "self=bf16[4,128,128] mat2=bf16[4,128,128]", {"flops", "bytes"}),
    ("aten::softmax", "self=f32[64,1000] dim=-1", {"bytes"}),  # its five FLOPs an element hold a comparison
    ("aten::cumsum", "self=f32[64,1024] dim=-1", {"bytes"}),   # a row of n takes n - 1 sums
    ("aten::eq", "self=f32[64,1000] other=f32[64,1000]", {"bytes"}),
]


@pytest.mark.parametrize("op, spec, exact", EXACT)
def test_an_experts_counts_are_what_its_card_says_where_that_is_exact(op, spec, exact):
    call = count(expert(op), "--op", op, "--workload-spec", spec, "--no-store")[0]
    total, card = call["totals"], call["card"]
    if "flops" in exact:
        assert total["flops"] == card["flops"]
    if "bytes" in exact:
        assert total["unique_read"] + total["unique_written"] == card["bytes"]


def test_a_candidate_that_reads_out_of_bounds_is_a_finding_and_no_count(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(ADD.replace("tl.load(x + i, i < n)", "tl.load(x + i)"))
    done = kgbench("count", file, "--op", "aten::add", *SPEC, "--no-store", "--seed", "5eed")
    assert done.code == 1
    assert done.out.splitlines()[0].startswith("== out_of_bounds: kernel add_kernel: load of 4 bytes at element 1000 of 'self'")


MISTAKES = [
    (["--chip", "h20"], "'h20' is no chip (did you mean 'h200'?)"),
    (["--chip", "cpu"], "the card of cpu has no peak rates, so it has no roofline. Name another chip"),
    (["--only", "s999"], "aten::add has no workload 's999' in the tiers asked for"),
    (["--entry", "add_Tenso"], "none of these workloads calls 'add_Tenso'. kgbench show aten::add lists the entries"),
]


@pytest.mark.parametrize("arguments, text", MISTAKES)
def test_a_mistake_is_said_in_one_line_and_ends_with_2(arguments, text):
    done = kgbench("count", expert("aten::add"), "--op", "aten::add", "--no-store", *arguments)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ") and text in done.err and done.err.count("\n") == 1
