# SPDX-License-Identifier: Apache-2.0
"""Streams, events and waits of the host: what becomes an edge of the plan, and which plans are races."""
import pytest
from harness import call, run, tensor
from test_policy import body
from trial import run_trial

ASKED = call("run", ("x", tensor("f32", 8, 16)))
SIDE = "s, here = torch.cuda.Stream(), torch.cuda.current_stream()\no = torch.empty_like(x)\n"


def recorded(text):
    made = run(body(text), ASKED).recording()
    assert made["calls"][0]["events"] == []
    return made


def edges(text):
    """(stream, waits) of each node of the first call, and what its return waits for."""
    made = recorded(text)["calls"][0]
    return [(n.get("stream", 0), n.get("after", [])) for n in made["nodes"]], made.get("joined")


@pytest.mark.parametrize("text, expected", [
    ("launch(x, o)\ns.wait_stream(here)\nwith torch.cuda.stream(s):\n    launch(o, o)\nhere.wait_stream(s)\nreturn o",
     ([(0, []), (1, [0])], [0, 1])),
    ("with s:\n    launch(x, o)\ns.synchronize()\nreturn launch(o, torch.empty_like(o))",
     ([(1, []), (0, [0])], [0, 1])),
    ("e = torch.cuda.Event()\nlaunch(x, o)\ne.record()\nlaunch(x, x.clone())\ns.wait_event(e)\nwith s:\n"
     "    launch(o, o)\n    e = s.record_event()\ne.wait()\nreturn o",
     ([(0, []), (0, []), (0, []), (1, [0])], [2, 3])),  # not behind what came after the event
    ("with s:\n    launch(x, o)\nwhile not s.query():\n    pass\nreturn launch(o, torch.empty_like(o))",
     ([(1, []), (0, [0])], [0, 1])),
    ("e = torch.cuda.Event()\nwith s:\n    launch(x, o)\n    e.record()\ne.synchronize()\nwith torch.cuda.Stream():\n"
     "    launch(o, o)\ntorch.cuda.synchronize()\nreturn o", ([(1, []), (2, [0])], [0, 1])),
    ("with s:\n    t = torch.tensor([1.0, 2.0], device='cuda')\nreturn launch(t, torch.empty_like(t))",
     ([(1, []), (0, [0])], [0, 1])),  # a copy from the host is over when host code goes on
    ("with s:\n    t = torch.ones(4, pin_memory=True).to('cuda', non_blocking=True)\nhere.wait_stream(s)\n"
     "return launch(t, torch.empty_like(t))", ([(1, []), (0, [0])], [0, 1])),
    ("torch.cuda.set_stream(s)\nlaunch(x, o)\nreturn o", ([(1, [])], [0])),
    ("a = torch.Stream(device='cuda')\ne = torch.Event(device='cuda')\nwith a:\n    launch(x, o)\n    e.record()\n"
     "torch.accelerator.current_stream().wait_event(e)\nreturn launch(o, torch.empty_like(o))",
     ([(1, []), (0, [0])], [0, 1])),
    ("t, u = torch.cuda.Stream(), torch.cuda.Stream()\nfor q in (s, t, u):\n    with q:\n        launch(x, o)\n"
     "t.wait_stream(s)\nu.wait_stream(t)\nhere.wait_stream(u)\nreturn o",
     ([(1, []), (2, []), (3, [])], [0, 1, 2])),
])
def test_waits_are_edges(text, expected):
    assert edges(SIDE + text) == expected


def test_each_call_begins_after_everything():
    made = recorded("if not hasattr(run, 's'):\n    run.s = torch.cuda.Stream()\no = torch.empty_like(x)\nwith run.s:\n"
                    "    launch(x, o)\nrun.s.synchronize()\nreturn o")
    assert [(c["nodes"][0]["stream"], c["nodes"][0].get("after"), c["joined"]) for c in made["calls"]] == \
        [(1, None, [0])] * 3


def test_an_event_of_an_earlier_call_says_nothing_of_this_one():
    text = SIDE + """
    if hasattr(run, "done"):
        s.wait_event(run.done)
    run.done = torch.cuda.Event()
    launch(x, torch.empty_like(x))
    launch(x, torch.empty_like(x))
    with s:
        launch(x, o)
    run.done.record(s)
    s.synchronize()
    return o
    """.replace("\n    ", "\n")
    for made in recorded(text)["calls"]:
        assert [n.get("after", []) for n in made["nodes"]] == [[], [], []] and made["joined"] == [1, 2]


def test_work_of_the_import_comes_before_every_stream():
    source = body("with side:\n    o = launch(table, torch.empty_like(table))\nside.synchronize()\nreturn o") + """
side = torch.cuda.Stream()
table = torch.ones(4, device="cuda")
"""
    for job in ("s1", "s2"):
        first = run(source, ASKED, ASKED).recording(job)["calls"][0]
        assert [(n["node"], n.get("stream", 0), n.get("after", [])) for n in first["nodes"]] == [
            ("fill", 0, []), ("launch", 1, [0])]


def races(text):
    """(kind, text of the candidate's line) of what the executor finds."""
    findings, _ = run_trial(recorded(SIDE + text), [ASKED] * 3)
    lines = body(SIDE + text).splitlines()
    return [(f["kind"], lines[f["line"] - 1].strip()) for f in findings]


LAUNCH = "copy_kernel[(triton.cdiv(x.numel(), 128),)](x, o, x.numel(), B=128)"


@pytest.mark.parametrize("text, line", [
    ("with torch.cuda.stream(s):\n    launch(x, o)\nlaunch(x, o)\ntorch.cuda.synchronize()\nreturn o", LAUNCH),
    ("o.zero_()\nwith s:\n    launch(x, o)\ntorch.cuda.synchronize()\nreturn o", LAUNCH),
    ("launch(x, o)\nwith s:\n    p = launch(o, torch.empty_like(o))\ntorch.cuda.synchronize()\nreturn p", LAUNCH),
    ("s.wait_stream(here)\nwith s:\n    launch(x, o)\nreturn o", LAUNCH),  # nobody waits for the side
    ("with s:\n    launch(x, o)\np = o.clone()\ntorch.cuda.synchronize()\nreturn launch(p, torch.empty_like(p))",
     "p = o.clone()"),
    ("e = torch.cuda.Event()\nwith s:\n    e.record()\n    launch(x, o)\nhere.wait_event(e)\n"
     "p = launch(o, torch.empty_like(o))\nhere.wait_stream(s)\nreturn p", LAUNCH),  # recorded too early
])
def test_work_that_two_streams_do_in_any_order_is_a_race(text, line):
    assert races(text) == [("race", line)]


@pytest.mark.parametrize("text", [
    "with s:\n    launch(x, o)\np = launch(x, torch.empty_like(x))\ntorch.cuda.synchronize()\nreturn o, p",
    "with s:\n    launch(x[:4], o[:4])\nlaunch(x[4:], o[4:])\ntorch.cuda.synchronize()\nreturn o",
    "with s:\n    o[:, ::2] = x[:, ::2]\no[:, 1::2] = x[:, 1::2]\nhere.wait_stream(s)\n"
    "return launch(o, torch.empty_like(o))",
])
def test_work_that_touches_nothing_twice_needs_no_wait(text):
    assert races(text) == []
