# SPDX-License-Identifier: Apache-2.0
"""A broken card leaves out its own operator: what needs it stops, with file, line and key; all else goes on and says so."""
import json
import sqlite3

import pytest
from conftest import FAST, expert, kgbench

CARD = '''name = "{name}"
family = "own"
[[entry]]
name = "{op}"
schema = "(Tensor self) -> Tensor"
[error]
class = "exact"
[[workload]]
tier = "smoke"
self = {{ shape = [8], dtype = "f32" }}
'''
# What is done to a sound card, and the place and text of the problem.
BROKEN = {
    "no TOML": (lambda card: card.replace("[error]", "[error"), ":6: "),
    "not UTF-8": (lambda card: "\udcff" + card, ":1: "),
    "unknown key": (lambda card: card + "shap = 3\n", ":11: workload[0].shap: is no argument of {op}"),
    "a key of no table": (lambda card: "doubts = 'x'\n" + card, ":1: doubts: unknown key"),
    "no such type": (lambda card: card.replace("f32", "f33"), ":10: workload[0].self.dtype: "),
    "no schema": (lambda card: card.replace("schema", "# schema"), ":3: entry[0].schema: is missing"),
    "no workloads": (lambda card: card.split("[[workload]]")[0], ":1: workload: "),
    "another folder's name": (lambda card: card.replace("mine::", "theirs::"), ":1: name: "),
    "nothing": (lambda card: "", ":1: name: is missing"),
}


def write(folder, name, card=None, reference="def {op}(self):\n    return self\n"):
    source, op = name.split("::")
    place = folder / source / op
    place.mkdir(parents=True, exist_ok=True)
    text = CARD.format(name=name, op=op)
    (place / "card.toml").write_bytes((card(text) if card else text).encode("utf-8", "surrogateescape"))
    if reference:
        (place / "reference.py").write_text(reference.format(op=op))
    return place / "card.toml"


@pytest.fixture
def mine(tmp_path):
    write(tmp_path / "mine", "mine::sound")
    return tmp_path / "mine"


@pytest.mark.parametrize("kind", BROKEN)
def test_what_needs_the_operator_stops_with_the_place(mine, kind):
    break_it, place = BROKEN[kind]
    card = write(mine, "mine::broken", break_it)
    done = kgbench("show", "mine::broken", "--catalogue", mine)
    assert done.code == 2, done.err
    assert f"{card}{place.format(op='broken')}" in done.err and "mine::broken cannot be used" in done.err, done.err


@pytest.mark.parametrize("kind", BROKEN)
def test_all_else_goes_on_and_says_so_in_a_line(mine, kind):
    break_it, place = BROKEN[kind]
    card = write(mine, "mine::broken", break_it)
    done = kgbench("list", "--suite", "mine", "--catalogue", mine)
    assert done.code == 0, done.err
    said = [line for line in done.err.splitlines() if "left out" in line]
    assert len(said) == 1 and said[0].strip().startswith(f"mine::broken is left out: {card}{place.format(op='broken')}")
    assert "mine::sound" in done.out and "mine::broken" not in done.out


@pytest.mark.parametrize("command", [["show", "broken"], ["judge", expert("aten::silu"), "--op", "broken"], ["new", "broken"],
                                     ["run", "--op", "broken", "--out", "never"]], ids=lambda command: command[0])
def test_every_command_that_needs_it_stops(mine, command):
    write(mine, "mine::broken", BROKEN["unknown key"][0])
    done = kgbench(*command, "--catalogue", mine)
    assert done.code == 2 and "card.toml:11: workload[0].shap: " in done.err, done.err


# Commands of one operator read no other card, and have nothing to say of it.
@pytest.mark.parametrize("command, told", [(["list", "--stats", "--suite", "mine"], 1), (["show", "mine::sound"], 0),
                                           (["show", "silu", "--json"], 0), (["new", "silu"], 0)], ids=str)
def test_every_command_that_does_not_goes_on(mine, command, told):
    write(mine, "mine::broken", BROKEN["unknown key"][0])
    done = kgbench(*command, "--catalogue", mine)
    assert done.code == 0 and done.err.count("left out") == told, done.err


def test_a_folder_without_a_reference_is_broken(mine):
    card = write(mine, "mine::broken", reference=None)
    done = kgbench("show", "mine::broken", "--catalogue", mine)
    assert done.code == 2 and f"{card}:1: the folder has no reference.py" in done.err


def test_a_name_that_two_folders_have_leaves_out_both(mine):
    card = write(mine, "aten::silu")
    done = kgbench("show", "aten::silu", "--catalogue", mine)
    assert done.code == 2 and f"{card}:1: name: aten::silu is an operator already" in done.err
    assert kgbench("show", "aten::gt", "--catalogue", mine).code == 0


def test_other_operators_are_judged(mine):
    write(mine, "mine::broken", BROKEN["no TOML"][0])
    done = kgbench("judge", expert("aten::silu"), "--op", "silu", "--only", "s0", *FAST, "--catalogue", mine)
    assert done.code == 0 and "mine::broken" not in done.err, done.err


def test_a_check_names_all_of_them(mine):
    sound = kgbench("list", "--check", "--catalogue", mine)
    assert sound.code == 0 and "all cards are sound" in sound.out
    cards = [write(mine, f"mine::broken{i}", break_it) for i, (break_it, _) in enumerate(BROKEN.values())]
    done = kgbench("list", "--check", "--catalogue", mine)
    assert done.code == 2
    for card in cards:
        assert f"{card}:" in done.out
    assert f"{len(cards)} operators left out" in done.out
    assert len([line for line in done.err.splitlines() if "left out" in line]) == 6, "five, and how many more"


def test_a_run_keeps_their_items_open_until_the_card_is_mended(mine):
    kernel = "import torch\n\n\ndef {op}(self):\n    raise ValueError\n"
    candidates = mine.parent / "candidates" / "mine"
    candidates.mkdir(parents=True)
    for op in ("sound", "broken"):
        (candidates / f"{op}.py").write_text(kernel.format(op=op))
    write(mine, "mine::broken", BROKEN["unknown key"][0])
    run = mine.parent / "run"
    options = ["--target", "none", "--no-time", "--catalogue", mine]
    done = kgbench("run", "--contestant", f"dir:{candidates.parent}", "--suite", "mine", "--tier", "smoke", "--out", run,
                   *options)
    assert done.code == 3, done.err
    assert "Open: mine::broken sample 0: mine::broken is left out: " in done.out
    with sqlite3.connect(run / "run.sqlite") as store:
        assert store.execute("select count(*) from item").fetchone() == (2,)
    write(mine, "mine::broken")
    again = kgbench("run", "--resume", run, *options)
    assert again.code == 0, again.err + again.out
    report = json.loads(kgbench("report", run, "--format", "json", "--catalogue", mine).out)
    assert "mine::broken" in json.dumps(report)


def test_without_a_sound_operator_there_is_no_run(tmp_path):
    write(tmp_path, "mine::broken", BROKEN["nothing"][0])
    done = kgbench("run", "--suite", "mine", "--out", tmp_path / "run", "--catalogue", tmp_path)
    assert done.code == 2 and "the card of every operator asked for is broken" in done.err
