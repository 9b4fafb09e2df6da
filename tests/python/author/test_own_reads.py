# SPDX-License-Identifier: Apache-2.0
"""Reads of the candidate's own intermediates: where the card allows them, a call stops until the bytes are known."""
import base64
import copy
import json
import struct

import plan_check
import pytest
from harness import call, run, tensor
from trial import run_trial, values_of

HEAD = """\
import torch
import triton
import triton.language as tl


@triton.jit
def count_kernel(x, count, n, B: tl.constexpr):
    i = tl.arange(0, B)
    tl.store(count, tl.sum((tl.load(x + i, mask=i < n, other=0) > 0).to(tl.int64)))


@triton.jit
def positive_kernel(x, out, n, B: tl.constexpr):
    i = tl.arange(0, B)
    v = tl.load(x + i, mask=i < n, other=0)
    keep = v > 0
    tl.store(out + tl.cumsum(keep.to(tl.int32), 0) - 1, v, mask=keep)


def counted(x, *shape, dtype=torch.int64):
    count = torch.empty(shape, dtype=dtype, device=x.device)
    count_kernel[(1,)](x, count, x.numel(), B=64)
    return count


"""
FIRST_LINE = HEAD.count("\n") + 1
X = tensor("f32", 50)
ASKED = call("run", ("x", X))


def body(text):
    lines = "".join(f"    {line}\n" for line in text.strip().splitlines())
    return f"{HEAD}def run(x):\n{lines}"


POSITIVE = body("""
n = counted(x).item()
out = torch.empty(n, device=x.device)
positive_kernel[(1,)](x, out, x.numel(), B=64)
return out
""")


def author(source, reads=None, allowed=("run",), **request):
    """The recording, given what the reads of each call are known to give."""
    given = [[base64.b64encode(data).decode() for data in call] for call in reads or [[], [], []]]
    made = run(source, ASKED, reads_own=list(allowed), reads=given, **request)
    recording = made.recording()
    plan_check.check(recording, [ASKED] * 3)
    return recording


def wanted(recording):
    """(call, its last node) of the read that the recording ends with; None when it is whole."""
    for number, made in enumerate(recording["calls"]):
        if made["nodes"] and made["nodes"][-1].get("bytes", "") is None:
            return number, made["nodes"][-1]
    return None


def kinds(recording):
    return {(e["kind"], e["what"]) for made in recording["calls"] for e in made["events"]}


def finish(source):
    """As the judge does: runs what is there, and asks again with the bytes that it leaves."""
    reads = [[], [], []]
    for _ in range(13):
        recording = author(source, reads)
        if (place := wanted(recording)) is None:
            return recording, reads
        findings, outputs, data = run_trial(recording, [ASKED] * 3, with_read=True)
        assert findings == [] and not any(outputs[place[0]:])
        reads[place[0]].append(data)
    raise AssertionError("it never ends")


def test_an_unknown_read_ends_the_recording_with_its_place():
    number, node = wanted(recording := author(POSITIVE))
    assert number == 0 and node["src"]["dtype"] == "i64" and node["src"]["shape"] == []
    assert (node["op"], node["file"], node["line"]) == ("aten::_local_scalar_dense", "candidate.py", FIRST_LINE + 1)
    assert [len(made["nodes"]) for made in recording["calls"]] == [2, 0, 0]
    assert kinds(recording) == set() and all(made["outputs"] == [] for made in recording["calls"])


def test_host_code_goes_on_from_what_it_is_given():
    reads = [[struct.pack("q", n)] for n in (3, 5, 7)]
    recording = author(POSITIVE, reads)
    assert wanted(recording) is None
    assert [made["outputs"][0]["tensor"]["shape"] for made in recording["calls"]] == [[3], [5], [7]]
    assert [made["nodes"][1]["node"] for made in recording["calls"]] == ["read"] * 3


def test_what_runs_between_the_reads_gives_the_answer():
    recording, reads = finish(POSITIVE)
    assert [len(call) for call in reads] == [1, 1, 1]
    findings, outputs = run_trial(recording, [ASKED] * 3)
    assert findings == []
    for number in range(3):
        x = values_of(ASKED, number)["x"]
        assert outputs[number]["return"].tolist() == x[x > 0].tolist()


def test_a_recording_that_lies_about_its_reads_is_caught():
    recording, _ = finish(POSITIVE)
    forged = copy.deepcopy(recording)
    node = forged["calls"][1]["nodes"][1]
    node["bytes"] = base64.b64encode(struct.pack("q", 1)).decode()
    findings, _ = run_trial(forged, [ASKED] * 3)
    assert [f["kind"] for f in findings] == ["read_differs"]
    assert (findings[0]["line"], findings[0]["details"]["call"]) == (FIRST_LINE + 1, "2")


@pytest.mark.parametrize("text, count", [
    ("counted(x, 1).cpu()", 1), ("counted(x, 1).tolist()", 1), ("bool(counted(x))", 1), ("counted(x, 1).numpy(force=True)", 1),
    ("torch.empty(1, dtype=torch.int64).copy_(counted(x, 1))", 1), ("c = counted(x)\nint(c) + int(c)", 2),
    ("range(counted(x))", 1),
])
def test_ways_to_read(text, count):
    recording = author(body(f"{text}\nreturn x"), [[struct.pack("q", 2)] * count] * 3)
    assert [len([n for n in made["nodes"] if n["node"] == "read"]) for made in recording["calls"]] == [count] * 3
    assert kinds(recording) == set()


def test_host_code_cannot_hold_on_to_a_call_that_stops():
    text = "try:\n    n = counted(x).item()\nexcept BaseException:\n    return x + 1\nreturn torch.empty(n, device='cuda')"
    recording = author(body(text))
    assert wanted(recording)[0] == 0 and kinds(recording) == set()


def test_without_permission_a_read_is_what_it_was():
    for allowed in ((), ("other",)):
        recording = author(POSITIVE, allowed=allowed)
        assert wanted(recording) is None
        assert ("host_read", "aten::_local_scalar_dense of an intermediate of its own") in kinds(recording)
        event = recording["calls"][0]["events"][0]
        assert (event["file"], event["line"]) == ("candidate.py", FIRST_LINE + 1)


@pytest.mark.parametrize("text, what", [
    ("counted(x, 33).tolist()", "of 264 bytes of an intermediate, after 0 reads of 0 bytes; a call may read 4 times and 256 "
     "bytes"),
    ("c = counted(x, 20)\nc.tolist()\nc.tolist()", "of 160 bytes of an intermediate, after 1 reads of 160 bytes; a call may "
     "read 4 times and 256 bytes"),
    ("[counted(x).item() for _ in range(5)]", "of 8 bytes of an intermediate, after 4 reads of 32 bytes; a call may read 4 "
     "times and 256 bytes"),
    ("counted(x, dtype=torch.float32).item()", "of an intermediate of type f32; integers and booleans may be read"),
    ("torch.equal(counted(x), counted(x))", "of an intermediate of its own"),
    ("x[0].item()", "aten::_local_scalar_dense"),
])
def test_what_may_not_be_read(text, what):
    known = [bytes(160), *[struct.pack("q", 0)] * 3] if "20" in text else [struct.pack("q", 0)] * 4
    found = kinds(author(body(f"{text}\nreturn x"), [known] * 3))
    assert any(kind == "host_read" and told.endswith(what) for kind, told in found), found


def test_the_bytes_of_another_course_are_not_taken():
    recording = author(POSITIVE, [[b"abc"], [], []])
    assert wanted(recording)[0] == 0


def test_reads_are_no_part_of_tuning():
    source = body("""
import triton.testing
triton.testing.do_bench(lambda: counted(x).item())
return x
""")
    assert ("host_read", "aten::_local_scalar_dense of an intermediate of its own") in kinds(author(source)) \
        or wanted(author(source)) is None


def test_what_is_read_of_a_copy_of_an_input_is_the_input():
    mine = [tensor("i64", 8, domain=("integers", 0, 9))]
    asked = call("run", ("x", mine[0]))
    source = HEAD + "def run(x):\n    return torch.empty(x.clone()[:2].tolist(), device='cuda')\n"
    made = run(source, asked, reads_own=["run"]).recording()
    findings, _ = run_trial(json.loads(json.dumps(made)), [asked] * 3)
    assert [f["kind"] for f in findings] == ["host_read"] and findings[0]["line"] == FIRST_LINE + 1
