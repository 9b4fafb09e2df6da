# SPDX-License-Identifier: Apache-2.0
"""Every expert on the virtual machine: the card's smoke workloads against the reference, nothing out of bounds."""
import sys

import cardfile
import pytest
import test_references
import torch
from kgbench.oracle import round_to

pytest.importorskip("kgbench._kgbench", reason="the extension is not built")
sys.path.append(str(test_references.cardfile.OPERATORS.parents[1] / "tests" / "python" / "vm"))
import vmlaunch

CODES = (torch.int8, torch.float8_e4m3fn)
ROUNDOFF = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8, torch.float32: 2.0**-24, torch.float64: 2.0**-53,
            torch.complex64: 2.0**-24, torch.complex128: 2.0**-53, torch.float8_e4m3fn: 2.0**-4, torch.float8_e5m2: 2.0**-3}
SUBNORMAL = {torch.float16: 2.0**-24, torch.bfloat16: 2.0**-133, torch.float32: 2.0**-149, torch.float64: 5e-324,
             torch.complex64: 2.0**-149, torch.complex128: 5e-324, torch.float8_e4m3fn: 2.0**-9, torch.float8_e5m2: 2.0**-16}


@pytest.fixture(scope="module", autouse=True)
def machine():
    vmlaunch.install()


@pytest.fixture
def findings(monkeypatch):
    """What the machine finds in any launch of a test."""
    found, launch = [], vmlaunch.Launcher.__call__

    def recorded(self, *arguments):
        launch(self, *arguments)
        found.extend((vmlaunch.Launcher.last or {}).get("findings") or [])

    monkeypatch.setattr(vmlaunch.Launcher, "__call__", recorded)
    return found


@pytest.mark.parametrize("folder", cardfile.folders(), ids=lambda f: f"{f.parent.name}::{f.name}")
def test_expert_is_right_on_the_machine(folder, findings):
    expert, reference = cardfile.module(folder / "expert.py"), cardfile.module(folder / "reference.py")
    for number, (entry, values) in enumerate(cardfile.calls(cardfile.load(folder), "smoke")):
        positional, keywords, named = cardfile.build(entry, values, number)
        expected = test_references.by_reference(reference, entry, positional, keywords, named)
        vmlaunch.Launcher.extra = []
        handed = [addresses(v) if entry.get("pass", {}).get(p[1]) == "pointer_array" else v
                  for p, v in zip(cardfile.parameters(entry["schema"]), positional)]
        returned = getattr(expert, entry["name"])(*handed, **keywords)
        have = {path: number_as_tensor(value) for path, value in test_references.leaves("return", returned)}
        for name, value in named.items():
            have.update(test_references.leaves(name, value))
        for path, value in expected.items():
            assert_close(have[path], value, f"{entry['name']} {path} {values}")
        assert not findings, (entry["name"], values)


def number_as_tensor(value):
    """A returned number as the widest tensor of its kind."""
    if isinstance(value, torch.Tensor):
        return value
    wide = {float: torch.float64, complex: torch.complex128}
    return torch.tensor(value, dtype=wide.get(type(value)))


def addresses(tensors):
    """A pointer array; the machine is told of the tensors behind it."""
    vmlaunch.Launcher.extra += tensors
    return torch.tensor([t.data_ptr() for t in tensors], dtype=torch.int64)


def assert_plausible(got, value, expected, what):
    """Samples where their law has mass, their mean within six standard deviations; the judge tests the law itself."""
    if expected.rule == "uniform":
        low, high = torch.minimum(value, expected.magnitude), torch.maximum(value, expected.magnitude)
        slack = 2e-2 * (abs(low) + abs(high))
        assert bool(((got >= low - slack) & (got <= high + slack)).all()), what
        mean, variance = (low + high) / 2, (high - low) ** 2 / 12
    elif expected.rule == "exponential":
        assert bool((got >= 0).all()), what
        mean, variance = 1 / value, 1 / value**2
    else:
        assert bool((got == got.floor()).all()) and bool((got >= 0).all()), what
        mean, variance = value, value
    assert abs(float((got - mean).sum())) <= 6 * float(variance.sum().sqrt()) + 1e-2 * float(abs(mean).sum()), what


def assert_close(got, expected, what):
    value = torch.as_tensor(expected.value)
    assert tuple(got.shape) == tuple(value.shape), what
    if expected.rule == "skip":
        return
    if expected.rule == "unordered" and expected.source is None:
        got, value = got.sort(expected.dim).values, value.to(got.dtype).sort(expected.dim).values
    if expected.rule == "bernoulli":
        spread = float((value * (1 - value)).sum().sqrt()) + 1e-9
        assert bool(((got == 0) | (got == 1)).all()), what
        assert abs(float(got.to(torch.float64).sum() - value.sum())) <= 6 * spread, what
    elif expected.rule in ("uniform", "exponential", "poisson"):
        assert_plausible(got.to(torch.float64), value, expected, what)
    elif expected.rule == "ties":
        source = expected.source.to(torch.float64)
        pick = lambda index: torch.gather(source, expected.dim, index) if source.dim() else source
        assert torch.equal(pick(got).nan_to_num(7e77), pick(value).nan_to_num(7e77)), what
    elif got.dtype in CODES and "quant" in what and expected.magnitude is not None:  # quotients, and how far off
        low, high = (torch.round(x) if got.dtype == torch.int8 else round_to(x, got.dtype)
                     for x in (value - expected.magnitude, value + expected.magnitude))
        have = got.to(torch.float64)
        assert bool(((low <= have) & (have <= high)).all()), what
    elif not got.dtype.is_floating_point and not got.dtype.is_complex:
        apart = abs(got.to(torch.int64) - value.to(torch.int64))
        codes = got.dtype == torch.int8 and "quant" in what  # beside a midpoint two codes are right
        assert bool((apart <= codes).all()) and float((apart > 0).double().sum()) <= max(1, apart.numel() / 100), what
    else:
        value = value.to(torch.complex128 if got.dtype.is_complex else torch.float64)
        rounded = value if value.is_complex() else round_to(value, got.dtype)
        error = abs(got.to(value.dtype) - value)
        magnitude = abs(value) if expected.magnitude is None else torch.as_tensor(expected.magnitude)
        work = 2.0**-53 if got.dtype in (torch.float64, torch.complex128) else 2.0**-24
        if "rotary" in what or "hgemm" in what:  # may round in the tensors' own type
            work = ROUNDOFF[got.dtype]
        bound = 6 * ROUNDOFF[got.dtype] * abs(value) + 64 * work * magnitude + 4 * SUBNORMAL[got.dtype]
        have = got.to(value.dtype)
        same = (have == rounded) | (torch.isnan(have) & torch.isnan(rounded))
        assert bool((same | (error <= bound)).all()), what
