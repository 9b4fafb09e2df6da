# SPDX-License-Identifier: Apache-2.0
"""What the rewriter finds in a source and what it makes of it: one place changed, everything else byte for byte."""
import ast
import difflib
import json
import pathlib
import subprocess
import sys
import textwrap

import pytest
from kgbench.tune import Unreadable, rewritten, space_of
from kgbench.tune.source import Source, applied

POINTWISE = textwrap.dedent("""
    import torch, triton
    import triton.language as tl

    @triton.jit
    def kernel(out, x, n, BLOCK: tl.constexpr):
        at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
        inside = at < n
        tl.store(out + at, tl.load(x + at, mask=inside), mask=inside)

    def entry(x):
        out = torch.empty(x.shape, device=x.device)  # ä: two bytes
        {host}
        return out
""")
DIRECT = "kernel[(triton.cdiv(x.numel(), 1024),)](out, x, x.numel(), BLOCK=1024)"

PRODUCT = textwrap.dedent('''
    import triton
    import triton.language as tl

    @triton.jit
    def product(c, a, b, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
        """One tile."""
        rows = tl.program_id(0) * BM + tl.arange(0, BM)
        cols = tl.program_id(1) * BN + tl.arange(0, BN)
        acc = tl.zeros([BM, BN], tl.float32)
        for start in range(0, k, BK):
            inner = start + tl.arange(0, BK)
            left = tl.load(a + rows[:, None] * k + inner[None, :], mask=(rows < m)[:, None] & (inner < k)[None, :], other=0)
            right = tl.load(b + inner[:, None] * n + cols[None, :], mask=(inner < k)[:, None] & (cols < n)[None, :], other=0)
            acc = tl.dot(left, right, acc)
        tl.store(c + rows[:, None] * n + cols[None, :], acc, mask=(rows < m)[:, None] & (cols < n)[None, :])

    def entry(a, b, c, m, n, k):
        size = lambda extent, most: min(most, max(16, triton.next_power_of_2(extent)))
        bm, bn, bk = size(m, 64), size(n, 64), size(k, 32)
        product[(triton.cdiv(m, bm), triton.cdiv(n, bn))](c, a, b, m, n, k, BM=bm, BN=bn, BK=bk)
''')

TWO_PASSES = textwrap.dedent("""
    import triton
    import triton.language as tl

    @triton.jit
    def scaled(out, x, n, COLS: tl.constexpr):
        row = tl.program_id(0)
        lane = tl.arange(0, COLS)
        total = 0.0
        for start in range(0, n, COLS):
            tile = tl.load(x + row * n + start + lane, mask=start + lane < n, other=0)
            total += tl.sum(tile)
        for start in range(0, n, COLS):
            tile = tl.load(x + row * n + start + lane, mask=start + lane < n, other=0)
            tl.store(out + row * n + start + lane, tile / total, mask=start + lane < n)

    def entry(out, x):
        scaled[(x.shape[0],)](out, x, x.shape[1], COLS=min(1024, triton.next_power_of_2(x.shape[1])))
""")


def axes(source):
    return {axis.id: axis for axis in space_of(source)}


def only_line(source, point):
    old, new = changed_by(source, point)
    assert len(old) == 1 and len(new) == 1, (old, new)
    return new[0]


def changed_by(source, point):
    text = rewritten(source, point)
    marks = list(difflib.ndiff(source.splitlines(), text.splitlines()))
    return [m[2:].strip() for m in marks if m.startswith("- ")], [m[2:].strip() for m in marks if m.startswith("+ ")]


# -- sizes -----------------------------------------------------------------------------------------------------------
def test_a_literal_block_changes_in_the_launch_and_in_its_grid():
    source = POINTWISE.format(host=DIRECT)
    assert only_line(source, {"size:kernel.BLOCK": "256"}) == \
        "kernel[(triton.cdiv(x.numel(), 256),)](out, x, x.numel(), BLOCK=256)"


def test_a_block_in_a_variable_changes_where_it_is_assigned():
    source = POINTWISE.format(host="block = 512\n    kernel[(triton.cdiv(x.numel(), block),)](out, x, x.numel(), BLOCK=block)")
    assert only_line(source, {"size:entry.block": "2048"}) == "block = 2048"


def test_a_constant_of_the_module_is_a_size_too():
    source = "SIZE = 512\n" + POINTWISE.format(host="kernel[(triton.cdiv(x.numel(), SIZE),)](out, x, x.numel(), BLOCK=SIZE)")
    assert only_line(source, {"size:entry.SIZE": "1024"}) == "SIZE = 1024"


def test_limits_of_tiles_are_three_sizes_and_the_helpers_least_is_none():
    assert [i for i in axes(PRODUCT) if i.startswith("size:")] == ["size:entry.bm", "size:entry.bn", "size:entry.bk"]
    assert only_line(PRODUCT, {"size:entry.bn": "128"}) == "bm, bn, bk = size(m, 64), size(n, 128), size(k, 32)"


def test_sizes_are_powers_of_two_around_the_seed():
    axis = axes(POINTWISE.format(host=DIRECT))["size:kernel.BLOCK"]
    assert axis.values == ["128", "256", "512", "1024", "2048", "4096", "8192"] and axis.seed == "1024" and axis.ordered


@pytest.mark.parametrize("host", ["kernel[(7,)](out, x, 48, BLOCK=x.shape[0])", "kernel[(7,)](out, x.view(-1, 64), 48, BLOCK=48)"])
def test_what_is_no_choice_is_no_size(host):
    assert not [i for i in axes(POINTWISE.format(host=host)) if i.startswith("size:")]


# -- launches --------------------------------------------------------------------------------------------------------
def test_warps_are_added_behind_the_last_argument():
    source = POINTWISE.format(host="kernel[(7,)](out, x, 9,\n        BLOCK=1024,  # why (so)\n    )")
    assert only_line(source, {"warps:kernel": "8"}) == "BLOCK=1024, num_warps=8,  # why (so)"


def test_warps_that_are_there_are_changed():
    source = POINTWISE.format(host="kernel[(7,)](out, x, 9, num_warps=2, BLOCK=1024)")
    assert axes(source)["warps:kernel"].seed == "2"
    assert "num_warps=16, BLOCK" in only_line(source, {"warps:kernel": "16"})


def test_an_argument_in_parentheses_is_left_whole():
    source = POINTWISE.format(host="kernel[(7,)](out, x, 9, (1024))")
    assert only_line(source, {"warps:kernel": "1"}) == "kernel[(7,)](out, x, 9, (1024), num_warps=1)"


def test_all_launches_of_a_kernel_are_given_the_same():
    source = POINTWISE.format(host=f"{DIRECT}\n    {DIRECT}")
    assert rewritten(source, {"warps:kernel": "2"}).count("num_warps=2") == 2


def test_an_autotuned_kernel_keeps_its_own_configurations():
    source = POINTWISE.format(host=DIRECT).replace("@triton.jit", "@triton.autotune(configs=[], key=[])\n@triton.jit")
    assert not [i for i in axes(source) if i.startswith(("warps", "even"))]


def test_stages_belong_to_loops_with_products():
    assert "stages:product" in axes(PRODUCT) and "stages:kernel" not in axes(POINTWISE.format(host=DIRECT))


def test_a_kernel_that_a_host_function_is_given_is_launched_there():
    source = POINTWISE.format(host="launch(kernel, out, x)").replace("def entry", "def launch(chosen, out, x):\n"
                                                                     "    chosen[(7,)](out, x, 9, BLOCK=1024)\n\ndef entry")
    assert only_line(source, {"warps:kernel": "8"}) == "chosen[(7,)](out, x, 9, BLOCK=1024, num_warps=8)"


# -- order of programs -----------------------------------------------------------------------------------------------
def test_a_swapped_grid_swaps_the_kernels_axes_and_every_launch():
    old, new = changed_by(PRODUCT, {"order:product": "swapped"})
    assert len(old) == len(new) == 3
    assert "tl.program_id(1) * BM" in new[0] and "tl.program_id(0) * BN" in new[1]
    assert new[2].startswith("product[(triton.cdiv(m, bm), triton.cdiv(n, bn))[::-1]](")


def test_programs_in_groups_are_renumbered_after_the_docstring():
    lines = rewritten(PRODUCT, {"order:product": "groups of 8"}).splitlines()
    at = next(i for i, line in enumerate(lines) if "swizzle2d" in line)
    assert '"""One tile."""' in lines[at - 1] and "rows = tuned_0 * BM" in lines[at + 1]


def test_a_grid_of_one_axis_has_no_order():
    assert not [i for i in axes(POINTWISE.format(host=DIRECT)) if i.startswith("order")]


# -- loops -----------------------------------------------------------------------------------------------------------
def test_a_loop_is_pipelined_or_unrolled_through_tl_range():
    old, new = changed_by(TWO_PASSES, {"loop:scaled.start": "3 stages"})
    assert new == ["for start in tl.range(0, n, COLS, num_stages=3):"]
    assert "loop_unroll_factor=2" in only_line(TWO_PASSES, {"loop:scaled.start#2": "unrolled by 2"})


def test_only_a_loop_without_memory_of_its_turns_runs_from_the_end():
    turns = [i for i in axes(TWO_PASSES) if i.startswith("turns")]
    assert turns == ["turns:scaled.start"] and axes(TWO_PASSES)[turns[0]].line == 13, "the second, which only stores"


@pytest.mark.parametrize("first, end, step", [(0, 1000, 64), (0, 1024, 64), (3, 17, 5), (2, 3, 1)])
def test_the_turns_from_the_end_are_those_from_the_start(first, end, step):
    source = TWO_PASSES.replace("range(0, n, COLS):\n        tile = tl.load(x + row * n + start + lane, mask=start + lane < n, "
                                "other=0)\n        tl.store", f"range({first}, {end}, {step}):\n        tile = tl.load(x + row * n"
                                " + start + lane, mask=start + lane < n, other=0)\n        tl.store")
    text = rewritten(source, {"turns:scaled.start": "from the end"})
    [header, line] = [x.strip() for x in text.splitlines() if "turn_start" in x]
    seen = []
    exec(f"{header}\n    {line}\n    seen.append(start)", {"seen": seen})
    assert seen == list(range(first, end, step))[::-1] and seen


# -- masks -----------------------------------------------------------------------------------------------------------
def test_a_mask_is_dropped_where_the_launch_says_that_the_size_divides():
    old, new = changed_by(POINTWISE.format(host=DIRECT), {"even:kernel.n": "unmasked where even"})
    assert new == ["def kernel(out, x, n, BLOCK: tl.constexpr, EVEN_N_BLOCK: tl.constexpr):",
                   "inside = ((at < n) | EVEN_N_BLOCK)",
                   "kernel[(triton.cdiv(x.numel(), 1024),)](out, x, x.numel(), BLOCK=1024, "
                   "EVEN_N_BLOCK=(x.numel()) % (1024) == 0)"]


def test_each_size_of_a_product_has_its_mask():
    found = {i for i in axes(PRODUCT) if i.startswith("even")}
    assert found == {"even:product.m", "even:product.n", "even:product.k"}
    assert rewritten(PRODUCT, {"even:product.k": "unmasked where even"}).count("((inner < k) | EVEN_K_BK)") == 2


@pytest.mark.parametrize("host", [
    "kernel[(triton.cdiv(x.numel(), 1024) + 1,)](out, x, x.numel(), BLOCK=1024)",
    "kernel[(132,)](out, x, x.numel(), BLOCK=1024)",
    "kernel[grid](out, x, x.numel(), BLOCK=1024)"])
def test_masks_stay_where_the_grid_may_have_programs_to_spare(host):
    assert not [i for i in axes(POINTWISE.format(host=host)) if i.startswith("even")]


def test_lanes_alone_are_inside_where_there_are_no_more_than_the_size():
    source = POINTWISE.format(host=DIRECT).replace("at = tl.program_id(0).to(tl.int64) * BLOCK + ", "at = ")
    assert "FULL_N_BLOCK=(x.numel()) >= (1024)" in rewritten(source, {"even:kernel.n": "unmasked where even"})


# -- caches ----------------------------------------------------------------------------------------------------------
def test_loads_and_stores_say_how_they_treat_the_caches():
    source = POINTWISE.format(host=DIRECT)
    assert 'mask=inside, eviction_policy="evict_first")' in only_line(source, {"cache:kernel.load": "evict first"})
    assert only_line(source, {"cache:kernel.stores": "cs"}).endswith('mask=inside, cache_modifier=".cs")')


def test_an_access_that_says_so_already_is_left_alone():
    source = POINTWISE.format(host=DIRECT).replace("mask=inside)\n", 'mask=inside, cache_modifier=".cs")\n')
    assert "cache:kernel.stores" not in axes(source)


# -- points ----------------------------------------------------------------------------------------------------------
def test_the_seed_is_the_source_byte_for_byte():
    for source in (POINTWISE.format(host=DIRECT), PRODUCT, TWO_PASSES):
        assert rewritten(source, {}) == source
        assert rewritten(source, {axis.id: axis.seed for axis in space_of(source)}) == source


def test_choices_of_all_axes_go_together():
    for source in (POINTWISE.format(host=DIRECT), PRODUCT, TWO_PASSES):
        point = {axis.id: next(v for v in axis.values if v != axis.seed) for axis in space_of(source)}
        ast.parse(rewritten(source, point))


@pytest.mark.parametrize("point", [{"warps:nothing": "4"}, {"warps:kernel": "5"}])
def test_a_point_outside_the_space_is_refused(point):
    with pytest.raises(Unreadable):
        rewritten(POINTWISE.format(host=DIRECT), point)


@pytest.mark.parametrize("text", ["def f(:\n", "x = 1\0"])
def test_what_is_no_python_is_refused(text):
    with pytest.raises(Unreadable):
        space_of(text)


EXPERTS = sorted((pathlib.Path(__file__).resolve().parents[3] / "catalogue" / "operators").glob("*/*/expert.py"))


def test_every_step_from_an_expert_parses_and_is_another_text():
    assert len(EXPERTS) == 210
    steps = 0
    for path in EXPERTS:
        text = path.read_text()
        source = Source(text)
        for axis in space_of(text):
            for value in axis.values:
                made = applied(source, axis.edits.get(value, []))
                ast.parse(made)
                assert (made == text) == (value == axis.seed), (path, axis.id, value)
                steps += value != axis.seed
    assert steps > 5000


def test_every_expert_with_a_kernel_has_something_to_tune():
    for path in EXPERTS:
        text = path.read_text()
        if "@triton.jit" in text:
            kinds = {axis.kind for axis in space_of(text)}
            assert "warps" in kinds, path


def test_the_program_prints_the_space_and_the_text_of_a_point(tmp_path):
    file = tmp_path / "mine.py"
    file.write_bytes(POINTWISE.format(host=DIRECT).replace("\n", "\r\n").encode())
    run = lambda *more: subprocess.run([sys.executable, "-m", "kgbench.tune", file, *more], capture_output=True)
    ids = [axis["id"] for axis in json.loads(run().stdout)["axes"]]
    assert ids[:2] == ["size:kernel.BLOCK", "warps:kernel"]
    assert run("--point", "{}").stdout == file.read_bytes(), "line ends too"
    missing = run("--point", '{"warps:kernel": "3"}')
    assert missing.returncode == 1 and missing.stderr.count(b"\n") == 1
