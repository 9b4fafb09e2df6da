# SPDX-License-Identifier: Apache-2.0
"""Every reference against a second formulation: torch's own operator in fp64 for ATen, plain loops for the others."""
import inspect

import cardfile
import independent
import pytest
import torch
from kgbench.oracle import Expected

FOLDERS = cardfile.folders()


def wide(value):
    """As the oracle hands tensors to references: floats as fp64, complex as complex128, integers as they are."""
    if isinstance(value, list):
        return [wide(v) for v in value]
    if not isinstance(value, torch.Tensor):
        return value
    if value.is_complex():
        return value.to(torch.complex128).clone()
    return value.to(torch.float64).clone() if value.is_floating_point() else value.clone()


def leaves(path, value):
    if isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from leaves(f"{path}[{i}]", item)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(name, item)
    elif value is not None:
        yield path, value


def by_reference(module, entry, positional, keywords, named):
    function = getattr(module, entry["name"])
    keywords = {k: wide(v) for k, v in keywords.items()}
    if "dtypes" in inspect.signature(function).parameters:
        tensors = [leaf for name, value in named.items() for leaf in leaves(name, value)]
        keywords["dtypes"] = {path: t.dtype for path, t in tensors if isinstance(t, torch.Tensor)}
    result = function(*[wide(v) for v in positional], **keywords)
    return {p: v if isinstance(v, Expected) else Expected(v) for p, v in leaves("return", result)}


def test_all_thirty_operators_are_here():
    assert len(FOLDERS) >= 30
    for folder in FOLDERS:
        assert {"card.toml", "reference.py", "expert.py"} <= {p.name for p in folder.iterdir()}


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f"{f.parent.name}::{f.name}")
def test_reference_agrees_with_a_second_formulation(folder):
    reference, compared = cardfile.module(folder / "reference.py"), 0
    for number, (entry, values) in enumerate(cardfile.calls(cardfile.load(folder), "smoke")):
        positional, keywords, named = cardfile.build(entry, values, number)
        expected = by_reference(reference, entry, positional, keywords, named)
        second = independent.answer(folder.name, entry, positional, keywords, named)
        assert set(second) <= set(expected), (entry["name"], values)
        for path, value in second.items():
            compared += 1
            assert_same(expected[path], value, f"{entry['name']} {path} {values}")
    assert compared > 0


def assert_same(expected, second, what):
    value = torch.as_tensor(expected.value)
    assert tuple(value.shape) == tuple(second.shape), what
    if expected.rule == "skip":  # the operator defines no values
        return
    if not value.is_floating_point() and not value.is_complex():
        if expected.rule == "ties":  # other indices, the same elements
            value = torch.gather(expected.source, expected.dim, value) if value.dim() else value
            second = torch.gather(expected.source, expected.dim, second) if second.dim() else second
        assert torch.equal(value.to(second.dtype), second), what
        return
    # fp64 against fp64: a few roundings relative to what was added up.
    scale = abs(value)
    if expected.magnitude is not None:  # of codes it is how far their quotients may lie off, which is less
        scale = torch.maximum(scale, abs(expected.magnitude).expand(value.shape))
    error = abs(value.expand(second.shape) - second)
    finite = torch.isfinite(second)  # of complex numbers both parts
    assert torch.equal(torch.isfinite(value), finite), what
    assert torch.equal(torch.isnan(value), torch.isnan(second)), what
    assert bool((error <= 1e-11 * scale + 1e-300)[finite].all()), what


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda f: f"{f.parent.name}::{f.name}")
def test_magnitudes_are_never_below_the_value(folder):
    reference = cardfile.module(folder / "reference.py")
    for number, (entry, values) in enumerate(cardfile.calls(cardfile.load(folder), "smoke")):
        positional, keywords, named = cardfile.build(entry, values, number)
        for path, expected in by_reference(reference, entry, positional, keywords, named).items():
            if expected.magnitude is None or expected.rule == "uniform":  # there it is the law's other end
                continue
            value, magnitude = abs(expected.value), expected.magnitude
            assert not magnitude.is_complex() and bool((magnitude >= 0)[torch.isfinite(magnitude)].all())
            if expected.dtype in (torch.int8, torch.float8_e4m3fn):  # how far a quotient may lie off: units of bf16
                assert bool((magnitude <= 2.0**-6 * value.clamp_min(1)).all()), (entry["name"], path, values)
                continue
            finite = torch.isfinite(value)
            low = (magnitude >= value * (1 - 1e-12))[finite]
            # Where a prescribed rounding lies between, the value may exceed the exact magnitude by one rounding.
            assert bool(low.all()) or bool((magnitude * 1.01 >= value)[finite].all()), (entry["name"], path, values)


@pytest.mark.parametrize("folder", [f for f in FOLDERS if f.parent.name == "aten"], ids=lambda f: f.name)
def test_baselines_give_the_contract_on_meta_tensors(folder):
    def meta(value):
        if isinstance(value, list):
            return [meta(v) for v in value]
        return value.to("meta") if isinstance(value, torch.Tensor) else value

    reference = cardfile.module(folder / "reference.py")
    for number, (entry, values) in enumerate(cardfile.calls(cardfile.load(folder), "smoke")):
        positional, keywords, named = cardfile.build(entry, values, number)
        arguments = {k: None if isinstance(v, cardfile.Generator) else meta(v) for k, v in named.items()}
        if entry["schema"].endswith("-> Scalar"):  # its type depends on a value, which meta tensors have not
            return
        try:
            contract = dict(leaves("return", eval(entry["baseline"], {"torch": torch}, arguments)))
        except NotImplementedError:  # a shape that depends on values, which meta tensors have not
            assert entry.get("reads_own"), entry["name"]
            continue
        expected = by_reference(reference, entry, positional, keywords, named)
        for path, value in expected.items():
            if path in contract:
                assert tuple(contract[path].shape) == tuple(torch.as_tensor(value.value).shape), (entry["name"], values)
