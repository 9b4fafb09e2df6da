# SPDX-License-Identifier: Apache-2.0
"""Good kernels are clean under every check, and each single fault seeded into one of them is found."""
import importlib.util
import pathlib

import pytest
import sanitize_good
from vmlaunch import launch

SOURCE = pathlib.Path(sanitize_good.__file__).read_text()

# launch, what is replaced (it stands once in the file), by what, kind of the finding
MUTANTS = [
    ("add", "a = tl.load(x + i, mask=mask)", "a = tl.load(x + i)", "out_of_bounds"),
    ("add", "b = tl.load(y + i, mask=mask)", "b = tl.load(y + i)", "out_of_bounds"),
    ("add", "tl.store(out + i, a + b, mask=mask)", "tl.store(out + i, a + b)", "out_of_bounds"),
    ("add", "mask = i < n", "mask = i <= n", "out_of_bounds"),
    ("add", "mask = i < n", "mask = i < n + 7", "out_of_bounds"),
    ("add", "a = tl.load(x + i, mask=mask)", "a = tl.load(x + i - 1, mask=mask)", "out_of_bounds"),
    ("add", "b = tl.load(y + i, mask=mask)", "b = tl.load(y + i + 1, mask=mask)", "out_of_bounds"),
    ("add", "a = tl.load(x + i, mask=mask)", "a = tl.load(out + i, mask=mask)", "uninitialised_read"),
    ("add", "tl.store(out + i, a + b, mask=mask)", "tl.store(out + i, a + b, mask=i < BLOCK * 8)", "out_of_bounds"),
    ("add", "tl.store(out + i, a + b, mask=mask)",
     "tl.store(out + tl.program_id(0), tl.sum(a, 0), mask=True)", "undefined_value"),
    ("number", "j = p * BLOCK + tl.arange(0, BLOCK)", "j = p * (BLOCK - 1) + tl.arange(0, BLOCK)", "race"),
    ("number", "j = p * BLOCK + tl.arange(0, BLOCK)", "j = p // 2 * BLOCK + tl.arange(0, BLOCK)", "race"),
    ("number", "j = p * BLOCK + tl.arange(0, BLOCK)", "j = tl.arange(0, BLOCK)", "race"),
    ("number", "tl.store(out + j, v + p, mask=j < n)", "tl.store(out, tl.sum(v, 0))", "race"),
    ("number", "tl.store(out + j, v + p, mask=j < n)", "tl.store(out + j % 256, v + p, mask=j < n)", "race"),
    ("number", "tl.store(out + j, v + p, mask=j < n)", "tl.store(out + j * 2, v + p, mask=j < n)", "out_of_bounds"),
    ("number", "v = tl.load(x + j, mask=j < n, other=0.0)", "v = tl.load(x + j * 8, mask=j < n, other=0.0)",
     "out_of_bounds"),
    ("number", "tl.store(out + j, v + p, mask=j < n)",
     "tl.store(out + j, v + p, mask=j < n)\n    tl.store(x + (j + 1) % n, v, mask=j < n)", "race"),
    ("number", "v + p, mask=j < n)", "v + tl.load(out + n - 1 - j, mask=j < n, other=0.0), mask=j < n)",
     "uninitialised_read"),
    ("softmax", 'mask=c < n, other=-float("inf"))', "mask=c < n)", "undefined_value"),
    ("softmax", 'v = tl.load(x + row * n + c, mask=c < n, other=-float("inf"))', "v = tl.load(x + row * n + c)",
     "out_of_bounds"),
    ("softmax", "tl.store(out + row * n + c, e / tl.sum(e, 0), mask=c < n)",
     "tl.store(out + row * n + c, e / tl.sum(e, 0))", "race"),
    ("softmax", "tl.store(out + row * n + c,", "tl.store(out + row * (n - 1) + c,", "race"),
    ("softmax", "tl.store(out + row * n + c,", "tl.store(out + row * (n + 1) + c,", "out_of_bounds"),
    ("softmax", "row = tl.program_id(0)\n    c =", "row = tl.program_id(0) + 1\n    c =", "out_of_bounds"),
    ("softmax", "v = tl.load(x + row * n + c,", "v = tl.load(out + row * n + c,", "uninitialised_read"),
    ("matmul", "ma = (rm[:, None] < M) & (k + rk[None, :] < K)", "ma = k + rk[None, :] < K", "out_of_bounds"),
    ("matmul", "mb = (k + rk[:, None] < K) & (rn[None, :] < N)", "mb = (k + rk[:, None] <= K) & (rn[None, :] < N)",
     "out_of_bounds"),
    ("matmul", "mc = (rm[:, None] < M) & (rn[None, :] < N)", "mc = rm[:, None] < M", "race"),
    ("matmul", "mc = (rm[:, None] < M) & (rn[None, :] < N)", "mc = rn[None, :] < N", "out_of_bounds"),
    ("matmul", "tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=mc)",
     "tl.store(c + rm[:, None] * M + rn[None, :], acc, mask=mc)", "race"),
    ("matmul", "acc = tl.zeros((BM, BN), dtype=tl.float32)",
     "acc = tl.load(c + rm[:, None] * N + rn[None, :], mask=(rm[:, None] < M) & (rn[None, :] < N), other=0.0)",
     "uninitialised_read"),
    ("matmul", "mask=ma, other=0.0)", "mask=ma)", "undefined_value"),
    ("transpose", "tl.store(out + tn[None, :] * M + tm[:, None], vt, mask=mt)",
     "tl.store(out + tn[None, :] * N + tm[:, None], vt, mask=mt)", "out_of_bounds"),
    ("transpose", "tl.store(out + tn[None, :] * M + tm[:, None], vt, mask=mt)",
     "tl.store(out + tn[None, :] * 16 + tm[:, None], vt, mask=mt)", "race"),
    ("transpose", "vt = tl.load(x + tm[:, None] * N + tn[None, :], mask=mt)",
     "vt = tl.load(x + tm[:, None] * N + tn[None, :], mask=tm[:, None] < M)", "out_of_bounds"),
    ("transpose", "mt = (tm[:, None] < M) & (tn[None, :] < N)", "mt = (tm[:, None] < N) & (tn[None, :] < N)",
     "out_of_bounds"),
    ("stencil", "mask=(s >= 1) & (s <= n), other=0.0)", "mask=s <= n, other=0.0)", "out_of_bounds"),
    ("stencil", "mask=s < n - 1, other=0.0)", "mask=s < n, other=0.0)", "out_of_bounds"),
    ("stencil", "tl.store(out + s, left + right, mask=s < n)", "tl.store(x + s, left + right, mask=s < n)", "race"),
    ("stencil", "right = tl.load(x + s + 1, mask=s < n - 1, other=0.0)",
     "right = tl.load(x + s + 1, mask=s < n - 1)", "undefined_value"),
    ("relu", "tl.store(x + r, tl.maximum(vr, 0.0) * 2.0, mask=r < n)",
     "tl.store(x + n - 1 - r, tl.maximum(vr, 0.0) * 2.0, mask=r < n)", "race"),
    ("relu", "tl.store(x + r, tl.maximum(vr, 0.0) * 2.0, mask=r < n)",
     "tl.store(x + (r + 64) % n, tl.maximum(vr, 0.0) * 2.0, mask=r < n)", "race"),
    ("relu", "vr = tl.load(x + r, mask=r < n)", "vr = tl.load(x + r // 2, mask=r < n)", "race"),
    ("locked", "    while tl.atomic_cas(lock, 0, 1) == 1:\n        pass\n", "", "race"),
    ("locked", "tl.atomic_cas(lock, 0, 1) == 1", 'tl.atomic_cas(lock, 0, 1, sem="relaxed") == 1', "race"),
    ("locked", "tl.atomic_xchg(lock, 0)", 'tl.atomic_xchg(lock, 0, sem="relaxed")', "race"),
    ("locked", "tl.atomic_xchg(lock, 0)", "tl.atomic_xchg(lock, 1)", "endless_wait"),
    ("locked", "    tl.atomic_xchg(lock, 0)\n", "", "endless_wait"),
    ("locked", "tl.atomic_cas(lock, 0, 1) == 1", "tl.atomic_cas(lock + row % 2, 0, 1) == 1", "out_of_bounds"),
    ("locked", "    tl.store(count, 1)\n    tl.atomic_xchg(lock, 0)\n",
     "    tl.atomic_xchg(lock, 0)\n    tl.store(count, row)\n", "race"),
    ("locked", "if tl.load(count) != 0:", "if tl.load(count) == 0:", "uninitialised_read"),
    ("locked", "tl.store(total + w, part, mask=w < n)", "tl.store(total + w, part + row * tl.load(count), mask=w < n)",
     "order_dependence"),
    ("last", "if tl.atomic_add(ticket, 1) == PROGRAMS - 1:", "if q == PROGRAMS - 1:", "race"),
    ("last", "tl.atomic_add(ticket, 1) == PROGRAMS - 1", 'tl.atomic_add(ticket, 1, sem="relaxed") == PROGRAMS - 1',
     "race"),
    ("last", "if tl.atomic_add(ticket, 1) == PROGRAMS - 1:", "if tl.atomic_add(ticket, 1) == PROGRAMS // 2:",
     "uninitialised_read"),
    ("last", "tl.load(parts + tl.arange(0, PROGRAMS))", "tl.load(parts + 1 + tl.arange(0, PROGRAMS))",
     "out_of_bounds"),
    ("histogram", "tl.atomic_add(bins + vg, 1, mask=(g < n) & (vg < BINS))", "tl.atomic_add(bins + vg, 1, mask=g < n)",
     "out_of_bounds"),
    ("histogram", "tl.atomic_add(bins + vg, 1, mask=(g < n) & (vg < BINS))",
     "hit = (g < n) & (vg < BINS)\n    tl.store(bins + vg, tl.load(bins + vg, mask=hit, other=0) + 1, mask=hit)",
     "race"),
    ("histogram", "tl.atomic_add(bins + vg, 1, mask=(g < n) & (vg < BINS))",
     "tl.store(bins, 0)\n    tl.atomic_add(bins + vg, 1, mask=(g < n) & (vg < BINS))", "race"),
    ("histogram", "tl.atomic_add(bins + vg, 1,", "tl.atomic_xchg(bins + vg, tl.program_id(0) + vg * 0,",
     "order_dependence"),
    ("barrier", "    while tl.atomic_add(arrived, 0) < programs:\n        pass\n", "", "uninitialised_read"),
    ("barrier", "tl.atomic_add(arrived, 0) < programs", "tl.atomic_add(arrived, 0) < programs + 1", "endless_wait"),
    ("barrier", "tl.atomic_add(arrived, 0) < programs", 'tl.atomic_add(arrived, 0, sem="relaxed") < programs', "race"),
    ("barrier", "    tl.atomic_add(arrived, 1)\n", "", "endless_wait"),
    ("barrier", "other = (u + 1) % programs", "other = u + 1", "out_of_bounds"),
    ("flag", "tl.atomic_xchg(flag, 1)", "tl.atomic_xchg(flag, 0)", "endless_wait"),
    ("flag", "while tl.atomic_cas(flag, 2, 2) == 0:", "while tl.load(flag) == 0:", "race"),
    ("flag", "        tl.store(box, 42)\n", "", "uninitialised_read"),
    ("flag", "        tl.store(box, 42)\n        tl.atomic_xchg(flag, 1)\n",
     "        tl.atomic_xchg(flag, 1)\n        tl.store(box, 42)\n", "race"),
    ("divide", "top // tl.where(low == 0, 1, low)", "top // low", "undefined_value"),
    ("divide", "top // tl.where(low == 0, 1, low)", "top % low", "undefined_value"),
    ("divide", "n // tl.maximum(groups, 1)", "n // groups", "division_by_zero"),
    ("divide", "n // tl.maximum(groups, 1)", "n % groups + 1", "division_by_zero"),
    ("far", "tl.program_id(0).to(tl.int64)", "tl.program_id(0)", "offset_overflow"),
    ("far", "x + k * stride + d", "x + (k.to(tl.int32) * stride + d)", "offset_overflow"),
    ("far", "x + k * stride + d", "x + ((k.to(tl.int32) << 29) + d)", "offset_overflow"),
    ("far", "x + k * stride + d", "x + (k.to(tl.int32) + d) * stride", "offset_overflow"),
    ("gather", "good = (at >= 0) & (at < size)", "good = at < size", "out_of_bounds"),
    ("gather", "good = (at >= 0) & (at < size)", "good = at >= 0", "out_of_bounds"),
    ("gather", "mask=good, other=0.0), mask=f < n)", "mask=good), mask=f < n)", "undefined_value"),
    ("gather", "at = tl.load(index + f, mask=f < n, other=0)\n    good = (at >= 0) & (at < size)",
     "at = tl.load(index + f, mask=f < n)\n    good = ((at >= 0) & (at < size)) | (f >= n)", "undefined_value"),
    ("scatter", "tl.store(out + to, vo, mask=o < n)", "tl.store(out + to // 2, vo, mask=o < n)", "race"),
    ("scatter", "tl.store(out + to, vo, mask=o < n)", "tl.store(out + to + 1, vo, mask=o < n)", "out_of_bounds"),
    ("scatter", "tl.store(out + to, vo, mask=o < n)",
     "tl.atomic_xchg(out + to // 2, vo, mask=o < n)", "order_dependence"),
    ("persistent", "tl.load(x + b, mask=b < n) * 2.0", "tl.load(out + b, mask=b < n) * 2.0", "uninitialised_read"),
    ("persistent", "tile = tl.atomic_add(next_tile, 1)\n    while",
     "tile = tl.load(next_tile)\n    tl.store(next_tile, tile + 1)\n    while", "race"),
    ("persistent", "* 2.0, mask=b < n)", "* 2.0, mask=b <= n)", "out_of_bounds"),
    ("rows", "picked = source.gather(ids, 0)", "picked = target.gather(ids, 0)", "uninitialised_read"),
    ("rows", "target.scatter(picked, ids, 0)", "target.scatter(picked, ids // 2, 0)", "race"),
    ("rows", "target.scatter(picked, ids, 0)", "source.scatter(picked, (ids + 1) % M, 0)", "race"),
    ("rows", "source = tl.make_tensor_descriptor(x, [M, C], [C, 1]",
     "source = tl.make_tensor_descriptor(x, [M, C], [C * 2, 1]", "out_of_bounds"),
    ("blocks", "sums.atomic_add([0, 0], vb)", "sums.store([0, 0], vb)", "race"),
    ("blocks", "sums.atomic_add([0, 0], vb)", "sums.store([0, 0], sums.load([0, 0]) + vb)", "race"),
    ("blocks", "sums.atomic_add([0, 0], vb)", "sums.atomic_add([0, 0], vb)\n    tl.store(total, 0.0)", "race"),
    ("blocks", "tl.make_tensor_descriptor(total,", "tl.make_tensor_descriptor(out,", "uninitialised_read"),
]


def test_there_are_many_mutants():
    assert len(MUTANTS) >= 60
    assert len({(old, new) for _, old, new, _ in MUTANTS}) == len(MUTANTS)


@pytest.mark.parametrize("run", sanitize_good.GOOD, ids=lambda run: run.__name__)
def test_good_kernels_are_clean(run):
    result = run(launch)
    assert result["findings"] == []
    assert result["programs"] > 0


def mutated(tmp_path, old, new):
    assert SOURCE.count(old) == 1, f"{old!r} must stand once in the file"
    path = tmp_path / "mutant.py"
    path.write_text(SOURCE.replace(old, new))
    spec = importlib.util.spec_from_file_location("mutant", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name, old, new, kind", MUTANTS, ids=[f"{i}-{m[0]}-{m[3]}" for i, m in enumerate(MUTANTS)])
def test_each_mutant_is_found(tmp_path, name, old, new, kind):
    result = getattr(mutated(tmp_path, old, new), name)(launch)
    kinds = [finding["kind"] for finding in result["findings"]]
    assert kind in kinds, f"{kinds}: " + "; ".join(finding["message"] for finding in result["findings"])
    found = next(finding for finding in result["findings"] if finding["kind"] == kind)
    assert found["file"].endswith("mutant.py") and found["line"] > 0
