# SPDX-License-Identifier: Apache-2.0
"""kgbench sanitize on whole candidates: what only a plan tells, such as the tensors that host code handed over."""
from conftest import kgbench

SOURCE = """\
import torch
import triton
import triton.language as tl


@triton.jit
def negate(x, o, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(o + i, -tl.load(x + i, mask=i < n), mask=i < n)


def neg(self):
    x = self.contiguous()
    n = x.numel()
    room = torch.empty(2 * n, device=x.device, dtype=x.dtype)
    one, two = room[:n], room[n:]
    spare = torch.empty(n + 8, device=x.device, dtype=x.dtype)
    if n:
        grid = (triton.cdiv(n, 64),)
        FIRST
        SECOND
    return two.view(x.shape)
"""
# Kernels that take an address as a number.
SOURCE += """

@triton.jit
def into(x, o, n, B: tl.constexpr):
    negate(x, o.to(tl.pointer_type(tl.float32)), n, B)


@triton.jit
def again(x, o, n, B: tl.constexpr):
    negate(x.to(tl.pointer_type(tl.float32)), o, n, B)
    negate(o, o, n, B)
"""

GOOD = ("negate[grid](x, one, n, B=64)", "negate[grid](one, two, n, B=64); negate[grid](two, two, n, B=64)")


def sanitize(tmp_path, first, second):
    """Exit code and text of kgbench sanitize; judging must pass, since the values are right."""
    file = tmp_path / "mine.py"
    file.write_text(SOURCE.replace("FIRST", first).replace("SECOND", second))
    asked = [file, "--op", "aten::neg", "--workload-spec", "self=f32[100]"]
    judged = kgbench("judge", *asked, "--target", "none")
    assert judged.code == 0, judged.out + judged.err
    done = kgbench("sanitize", *asked, "--no-orders")
    return done.code, done.out


def test_neighbours_in_one_storage_are_clean(tmp_path):
    code, out = sanitize(tmp_path, *GOOD)
    assert code == 0 and "no findings" in out, out


def test_a_load_that_runs_into_the_neighbour_is_out_of_bounds(tmp_path):
    code, out = sanitize(tmp_path, "room.zero_(); " + GOOD[0],
                         "negate[grid](one, spare, n + 8, B=64); " + GOOD[1])
    assert code == 1 and "out_of_bounds" in out and "inside of 'o' of negate" in out, out


def test_the_use_of_an_address_whose_tensor_is_gone(tmp_path):
    code, out = sanitize(tmp_path, "lost = torch.empty_like(x).data_ptr()",
                         "into[grid](x, lost, n, B=64); negate[grid](x, two, n, B=64); again[grid](lost, two, n, B=64)")
    assert code == 1 and "use_after_free" in out, out


SCRIPT = """\
import sys
import torch
import triton
import triton.language as tl


@triton.jit
def double(x, n, end, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(x + i, 2 * tl.load(x + i, mask=i < n), mask=i < end)


x = torch.ones(100, device="cuda")
double[(2,)](x, 100, 100 + int(sys.argv[1]), B=64)
print("sum", x.sum().item(), sys.argv[1:])
"""


def test_without_an_operator_a_whole_script_is_run(tmp_path):
    script = tmp_path / "step.py"
    script.write_text(SCRIPT)
    good = kgbench("sanitize", script, "--", "0", "--fast")
    assert (good.code, "sum 200.0 ['0', '--fast']" in good.out) == (0, True), good
    bad = kgbench("sanitize", script, "3")
    assert bad.code == 1
    assert "out_of_bounds" in bad.out + bad.err and "step.py:10" in bad.out + bad.err


def test_a_scripts_mistakes_are_told_in_one_line(tmp_path):
    script = tmp_path / "step.py"
    script.write_text("")
    for words, told in ((["--only", "s3"], "--only is for a candidate"), (["--op", "aten::neg", "more"], "nothing to pass to it")):
        done = kgbench("sanitize", script, *words)
        assert done.code == 2 and told in done.err and len(done.err.splitlines()) == 1, done
    missing = kgbench("sanitize", tmp_path / "none.py")
    assert missing.code == 2 and "there is no file" in missing.err
