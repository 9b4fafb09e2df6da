# SPDX-License-Identifier: Apache-2.0
"""Trials of recordings in the real executor process, and the values that it gives the inputs."""
import base64
import itertools
import json
import os
import socket
import subprocess

import pytest
import torch
from kgbench import frame
from plan_check import DTYPES

_kgbench = pytest.importorskip("kgbench._kgbench", reason="the extension is not built")
SEED = 0x5EED
_ids = itertools.count(1)
_executors = []


class Executor:
    """One `kgbench executor`, as the judge starts it."""

    def __init__(self):
        self._channel, theirs = socket.socketpair()
        command = [os.environ["KGBENCH_BINARY"], "executor", "--fd", str(theirs.fileno())]
        self._process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        theirs.close()

    def ask(self, header, blob):
        frame.write(self._channel.fileno(), header, blob)
        return frame.read(self._channel.fileno())


def run_trial(recording, calls, with_read=False):
    """(findings, outputs of each call by path), and with_read the bytes that the recording ends in wanting to read. The
    executor reads the recording as hostile text first."""
    if not _executors:
        if "KGBENCH_BINARY" not in os.environ:
            pytest.skip("the kgbench binary is not built")
        _executors.append(Executor())
    request = {"id": next(_ids), "run": "trial", "calls": calls, "seed": f"{SEED:016x}", "trial": 0}
    answer, blob = _executors[0].ask(request, json.dumps(recording).encode())
    assert answer["ok"], answer["error"]
    outputs = [{} for _ in calls]
    for output in answer["outputs"]:
        dtype = DTYPES[output["dtype"]]
        data = bytearray(blob[output["offset"]:output["offset"] + output["bytes"]])
        flat = torch.frombuffer(data, dtype=dtype) if data else torch.empty(0, dtype=dtype)
        outputs[output["call"]][output["path"]] = flat.view(output["shape"])
    if with_read:
        return answer["findings"], outputs, base64.b64decode(answer["read"])
    return answer["findings"], outputs


def specs_of(call):
    """The tensor specs of a call by path."""
    found = {}
    for arg in call["args"]:
        if "tensor" in arg:
            found[arg["name"]] = arg["tensor"]
        for kind in ("tensors", "pointers"):
            found.update({f"{arg['name']}[{i}]": spec for i, spec in enumerate(arg.get(kind, ()))})
    return found


def values_of(call, number):
    """The tensors that call `number` of the trial gets, by path."""
    found = {}
    for path, spec in specs_of(call).items():
        storage = bytearray(_kgbench.generate(json.dumps(spec), path, SEED, 0, number))
        dtype = DTYPES[spec["dtype"]]
        flat = torch.frombuffer(storage, dtype=dtype) if storage else torch.empty(0, dtype=dtype)
        found[path] = torch.as_strided(flat, spec["shape"], spec["strides"], spec["offset"])
    return found
