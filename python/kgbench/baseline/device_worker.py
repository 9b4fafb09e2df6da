# SPDX-License-Identifier: Apache-2.0
"""Times baselines on a device on request: `python -m kgbench.baseline.device_worker FD`.

{"id", "run": "begin", "backend", "call": CALL, "baseline": expression, "seed", "trial", "number"} records the call as a
graph; {"id", "run": "samples", "samples": n} gives {"ok": true, "ns": [..]}: replays with cold caches, on the clock
that times candidates (docs/timing.md).
"""

import math
import sys

import torch

from kgbench import frame
from kgbench.baseline.recorded import RecordedCall
from kgbench.oracle import inputs


class Baseline:
    """One call of torch's as a graph; holds what the graph works on."""

    def __init__(self, request):
        call, seed = request["call"], int(request["seed"], 16)

        def make(spec, path):
            # The whole storage travels, so that strides and offsets stay as they are.
            real = inputs.real_tensor(spec, path, seed, request["trial"], request["number"])
            flat = torch.empty(0, dtype=real.dtype).set_(real.untyped_storage()) if real.numel() else real
            return flat.cuda().as_strided(real.shape, real.stride(), real.storage_offset()) if real.numel() else real.cuda()

        _, _, self._names = inputs.arguments(call, make)
        self._code = compile(request["baseline"], "<baseline>", "eval")
        self._scope = {"torch": torch, "math": math}
        self._backend = request["backend"]
        self._recorded = RecordedCall(self._call)
        self._recorded.adopt(self._backend)

    def _call(self):
        with torch.device("cuda"):  # what it makes out of no tensor lies there too
            return eval(self._code, self._scope, self._names)  # an expression of our own catalogue

    def samples(self, n):
        """Nanoseconds of n replays with cold caches."""
        return self._recorded.samples(self._backend, n)


def main(fd):
    held = []  # the baseline that is timed, and with it the memory of its graph
    while True:
        try:
            request, _ = frame.read(fd)
        except EOFError:
            return
        try:
            with torch.inference_mode():
                if request["run"] == "begin":
                    held.clear()
                    held.append(Baseline(request))
                    reply = {"ok": True}
                else:
                    reply = {"ok": True, "ns": held[0].samples(request["samples"])}
        except Exception as error:  # the catalogue's fault, or an operator that cannot be recorded as a graph
            lines = str(error).strip().splitlines() or [""]
            reply = {"ok": False, "error": {"kind": "infra", "message": f"{type(error).__name__}: {lines[0]}"}}
        frame.write(fd, {"id": request.get("id"), **reply})


if __name__ == "__main__":
    main(int(sys.argv[1]))
