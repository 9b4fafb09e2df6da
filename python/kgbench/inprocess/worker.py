# SPDX-License-Identifier: Apache-2.0
"""Runs one candidate with a device, on request: `python -m kgbench.inprocess.worker FD`. docs/contracts/wire.md.

This process is locked, and the candidate shares it: whatever it answers is a claim. It gets values, never a seed or an
expected value; kgbench compares what comes back.
"""

import sys

import torch

from kgbench import frame
from kgbench.inprocess import device as devices
from kgbench.inprocess.candidate import Candidate, Failure
from kgbench.inprocess.memory import Memory, Returned, bytes_of

MOST_ROWS = 2000  # of a census


class Worker:
    """State between requests: the candidate, and the call that is open."""

    def __init__(self):
        self._device = self._candidate = None
        self._call = self._memory = self._result = self._recorded = None
        self._kept = []  # what earlier calls returned: their memory stays theirs

    def open(self, request, blob):
        """Takes hold of the device, before a line of the candidate runs."""
        try:
            self._device = devices.open_device(request["backend"])
        except Exception as error:
            raise Failure("infra", f"the device cannot be used in the candidate's process: {error}") from None
        return {}, []

    def load(self, request, blob):
        """Imports the candidate."""
        self._candidate = Candidate(request)
        return {}, []

    def begin(self, request, blob):
        """Lays out the arguments of a call."""
        self._call = self._memory = self._result = self._recorded = self._timed = None
        self._kept.clear()
        self._call = request["call"]
        self._target = request["target"]
        self._memory = Memory(self._call, self._device.kind)
        self._entry = self._candidate.entry(self._call["entry"])
        return {}, []

    def call(self, request, blob):
        """One call by host code on these values, watched."""
        memory = self._memory
        memory.fill(blob)
        if request["spoil"]:
            self._device.spoil(request["spoil"], request["poison"])
        try:
            self._result, found, rows, late = self._device.call(self._run, self._read)
        except Failure:
            raise
        except BaseException as error:
            raise self._failed(error) from None
        header, blobs = found
        header["overlap"] = self._overlap()
        self._kept.append(self._result)
        rows = rows[:MOST_ROWS]
        for row in rows:
            row["file"] = self._candidate.file_of(row["name"]) if row["kind"] == "kernel" else None
        return {**header, "census": rows, "late": late, "findings": self._candidate.odd()}, blobs

    def record(self, request, blob):
        """Records the call as a graph; {"recorded": false, "why"} where that cannot be."""
        self._kept.clear()
        try:
            self._recorded = self._device.record(self._run)
        except Exception as error:
            if "njoined" in str(error):
                raise Failure("race", "work on another stream is not waited for when the call returns: a graph of the call "
                              "cannot be recorded for that") from None
            self._device.still()
            while error.__context__ is not None:  # what broke the recording comes before what ended it
                error = error.__context__
            text = (str(error).strip().splitlines() or [type(error).__name__])[0]
            return {"recorded": False, "why": text[:400]}, []
        self._result = self._recorded.result
        return {"recorded": True}, []

    def replay(self, request, blob):
        """The recorded call on these values; host code takes no part."""
        self._memory.fill(blob)
        returned = Returned(self._result, self._memory, self._target)
        self._memory.poison(returned.tensors, request["poison"])
        self._device.still()
        self._device.replay(self._recorded)
        header, blobs = self._read(self._result)
        return {**header, "findings": self._candidate.odd()}, blobs

    def ready(self, request, blob):
        """Prepares the call for samples."""
        self._timed = self._device.timed(self._run, self._recorded)
        return {}, []

    def samples(self, request, blob):
        return {"ns": self._timed.samples("cuda", request["samples"])}, []

    def do_bench(self, request, blob):
        return {"ns": 1e6 * self._device.do_bench(self._run)}, []

    def _run(self):
        return self._entry(*self._memory.positional, **self._memory.keyword)

    def _failed(self, error):
        failure = self._candidate.failure(error)
        try:
            self._device.still()
        except Exception as fault:  # the context is lost
            return Failure("device_fault", (str(fault).strip().splitlines() or ["a kernel faulted"])[0])
        return failure

    def _overlap(self):
        """Whether the newest outputs lie in memory that an earlier call returned."""
        places = [{t.untyped_storage().data_ptr() for t in self._own(value)} for value in (*self._kept, self._result)]
        return any(places[-1] & earlier for earlier in places[:-1])

    def _own(self, value):
        returned = Returned(value, self._memory, self._target)
        return [t for t in returned.tensors.values() if t.numel() and self._memory.owner(t) is None]

    def _read(self, result):
        """(header, blobs): the returned objects and all outputs, the arguments that may be written among them."""
        returned = Returned(result, self._memory, self._target)
        outputs = dict(returned.tensors)
        outputs.update((path, tensor) for path, tensor in self._memory.tensors.items()
                       if self._memory.specs[path].get("mutated"))
        rows, blobs, at = [], [], 0
        for path, tensor in outputs.items():
            data = bytes_of(tensor)
            rows.append({"path": path, "offset": at, "bytes": len(data)})
            blobs.append(data)
            at += len(data)
        return {"recording": returned.recording, "outputs": rows, "changed": self._memory.changed()}, blobs


REQUESTS = {name: getattr(Worker, name) for name in ("open", "load", "begin", "call", "record", "replay", "ready", "samples", "do_bench")}


def main(fd):
    worker = Worker()
    while True:
        try:
            request, blob = frame.read(fd)
        except EOFError:
            return
        blobs = []
        try:
            reply, blobs = REQUESTS[request["run"]](worker, request, blob)
            reply = {"ok": True, **reply}
        except Failure as failure:
            reply = {"ok": False, "error": failure.error}
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            kind = "memory_limit" if isinstance(error, torch.OutOfMemoryError) else "host_exception"
            if "CUDA error" in lines[0]:
                kind = "device_fault"
            reply = {"ok": False, "error": {"kind": kind, "message": f"{type(error).__name__}: {lines[0]}", "file": "",
                                            "line": 0, "details": {}}}
        frame.write(fd, {"id": request.get("id"), **reply}, *blobs)


if __name__ == "__main__":
    main(int(sys.argv[1]))
