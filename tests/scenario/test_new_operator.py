# SPDX-License-Identifier: Apache-2.0
"""kgbench new operator: a reference becomes a folder that the judge uses at once; mistakes are told in a line."""
import json
import tomllib

import pytest
from conftest import FAST, kgbench

REFERENCE = '''
from kgbench.oracle import Expected

def _terms(a, b, scale):
    return a, scale * b

def scaled_add(a, b, scale: float):
    x, y = _terms(a, b, scale)
    return Expected(x + y, magnitude=abs(x) + abs(y))

def scaled_add_(a, b, scale: float = 0.5):
    return {"a": scaled_add(a, b, scale)}
'''
CANDIDATE = '''
import torch, triton
import triton.language as tl

@triton.jit
def kernel(out, a, b, scale: "fp64", n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(a + at, mask=at < n).to(tl.float32)
    y = tl.load(b + at, mask=at < n).to(tl.float32)
    tl.store(out + at, x + y * tl.full([BLOCK], scale, tl.float32), mask=at < n)

def scaled_add(a, b, scale):
    a, b = a.contiguous(), b.contiguous()
    out = torch.empty_like(a)
    kernel[(triton.cdiv(a.numel(), 1024),)](out, a, b, scale, a.numel(), BLOCK=1024)
    return out

def scaled_add_(a, b, scale=0.5):
    a.copy_(scaled_add(a, b, scale))
'''


@pytest.fixture
def make(tmp_path):
    """make(reference text, name) -> what the program said; the folder is tmp_path / "own"."""
    def made(text, name="mine::scaled_add"):
        file = tmp_path / "reference.py"
        file.write_text(text)
        return kgbench("new", "operator", name, "--reference", file, "--catalogue", tmp_path / "own")
    return made


def test_a_reference_becomes_an_operator_that_is_judged(make, tmp_path):
    done = make(REFERENCE)
    assert done.code == 0 and "2 entries" in done.out and "fails" not in done.out
    folder = tmp_path / "own" / "mine" / "scaled_add"
    assert sorted(p.name for p in folder.iterdir()) == ["candidate.py", "card.toml", "reference.py"]
    card = tomllib.loads((folder / "card.toml").read_text())
    assert [(e["name"], e["schema"]) for e in card["entry"]] == [
        ("scaled_add", "(Tensor a, Tensor b, float scale) -> Tensor"),
        ("scaled_add_", "(Tensor(a!) a, Tensor b, float scale=0.5) -> ()")]
    assert (folder / "reference.py").read_text() == REFERENCE
    judge = lambda file: json.loads(kgbench("judge", file, "--op", "mine::scaled_add", "--catalogue", tmp_path / "own",
                                            *FAST, "--json").out)
    mine = tmp_path / "mine.py"
    mine.write_text(CANDIDATE)
    assert judge(mine)["verdict"] == "pass"
    assert judge(folder / "candidate.py")["verdict"] == "wrong_value"  # the stub records, its values are wrong
    mine.write_text(CANDIDATE.replace("x + y", "x - y"))
    assert judge(mine)["verdict"] == "wrong_value"


def test_workloads_that_do_not_suit_the_reference_are_named(make):
    done = make("def half(x):\n    assert x.shape[0] % 2 == 0\n    return x[: x.shape[0] // 2]\n", "half")
    assert done.code == 0
    assert "The reference fails on these workloads" in done.out and "s0: x f32[5,7]" in done.out


def test_nothing_is_overwritten(make, tmp_path):
    assert make(REFERENCE).code == 0
    again = make(REFERENCE)
    assert (again.code, again.err) == (2, f"error: {tmp_path}/own/mine/scaled_add exists already. Choose another name, "
                                       "or remove it\n")


@pytest.mark.parametrize("text, said", [
    ("x = 1\n", "defines no function; a reference has one for each entry of the operator"),
    ("def f(x, *rest):\n    return x\n", "reference.py:1: f takes *args or **kwargs; name every argument"),
    ("def f(x: list[str]):\n    return x\n", "reference.py:1: the annotation list[str] is no type of a schema"),
    ("def f(x) -> int:\n    return 3\n", "reference.py:1: f returns int; an operator returns tensors"),
    ("def f(x:\n", "reference.py:1: "),
], ids=["nothing", "star", "annotation", "number", "syntax"])
def test_a_reference_that_cannot_be_read_is_the_users_mistake(make, text, said):
    done = make(text)
    assert done.code == 2 and done.err.count("\n") == 1 and said in done.err


def test_names_and_folders_are_asked_for():
    assert "name one folder for operators of your own" in kgbench("new", "operator", "x", "--reference", "y.py").err
    assert kgbench("new").err == "error: no operator. Name one (kgbench list), or: kgbench new operator NAME\n"


def test_a_name_is_letters_digits_and_underscores(make):
    assert make(REFERENCE, "mine::scaled-add").err == ("error: 'mine::scaled-add' is no name of an operator. Use letters, "
                                                       "digits and _: mine::scaled_add\n")


def test_a_name_that_is_taken_writes_nothing(make, tmp_path):
    done = make(REFERENCE, "aten::softmax")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: aten::softmax is an operator already (kgbench show aten::softmax). Choose another name\n"
    assert not (tmp_path / "own" / "aten").exists()
