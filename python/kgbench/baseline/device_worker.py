# SPDX-License-Identifier: Apache-2.0
"""Times baselines on a device on request: `python -m kgbench.baseline.device_worker FD`.

{"id", "run": "begin", "backend", "call": CALL, "baseline", "how", "span", "seed", "trial", "number"} makes one call ready: an
expression of torch's (`how` eager), the same through torch.compile (compile), or a function of vLLM's by its path (vllm);
as a graph, or between events (`span`). {"id", "run": "samples", "samples": n} gives {"ok": true, "ns": [..]}: calls with
cold caches, on the clock that times candidates (docs/timing.md). {"id", "run": "do_bench"} gives {"ok": true, "ns": t}.
"""

import importlib
import math
import sys

import torch

from kgbench import frame
from kgbench.baseline.recorded import EventTimed, RecordedCall
from kgbench.oracle import inputs


class Baseline:
    """One call that is ready to be timed; holds what it works on."""

    def __init__(self, request):
        call, seed = request["call"], int(request["seed"], 16)

        def make(spec, path):
            # The whole storage travels, so that strides and offsets stay as they are.
            real = inputs.real_tensor(spec, path, seed, request["trial"], request["number"])
            flat = torch.empty(0, dtype=real.dtype).set_(real.untyped_storage()) if real.numel() else real
            return flat.cuda().as_strided(real.shape, real.stride(), real.storage_offset()) if real.numel() else real.cuda()

        positional, keyword, names = inputs.arguments(call, make)
        text, how = request["baseline"], request["how"]
        function = _vllm(text, positional, keyword) if how == "vllm" else _torch(text, names, how == "compile")

        def run():
            with torch.device("cuda"):  # what it makes out of no tensor lies there too
                return function()

        self._run, self._backend = run, request["backend"]
        if request["span"] == "events":
            self._timed = EventTimed(run)
        else:
            self._timed = RecordedCall(run)
            self._timed.adopt(self._backend)

    def samples(self, n):
        """Nanoseconds of n calls with cold caches."""
        return self._timed.samples(self._backend, n)

    def do_bench(self):
        """Nanoseconds by triton.testing.do_bench, with its own defaults."""
        import triton.testing
        return 1e6 * triton.testing.do_bench(self._run)


def _torch(expression, names, compiled):
    """A function without arguments that gives the value of an expression of our own catalogue. Compiling happens when it
    is first called, so before anything is timed."""
    if not compiled:
        code, scope = compile(expression, "<baseline>", "eval"), {"torch": torch, "math": math}
        return lambda: eval(code, scope, names)
    scope = {"torch": torch, "math": math}
    body = " ".join(expression.split("\n"))
    exec(compile(f"def baseline({', '.join(names)}):\n    return {body}\n", "<baseline>", "exec"), scope)
    made = torch.compile(scope["baseline"], dynamic=False)
    return lambda: made(**names)


def _vllm(path, positional, keyword):
    """The same for a call of vLLM's own function with the entry's arguments."""
    module, _, name = path.rpartition(".")
    try:
        function = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise RuntimeError(f"vLLM's {path} cannot be had here: {error}") from None
    return lambda: function(*positional, **keyword)


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
                elif request["run"] == "do_bench":
                    reply = {"ok": True, "ns": held[0].do_bench()}
                else:
                    reply = {"ok": True, "ns": held[0].samples(request["samples"])}
        except Exception as error:  # the catalogue's fault, or an operator that cannot be recorded as a graph
            lines = str(error).strip().splitlines() or [""]
            reply = {"ok": False, "error": {"kind": "infra", "message": f"{type(error).__name__}: {lines[0]}"}}
        frame.write(fd, {"id": request.get("id"), **reply})


if __name__ == "__main__":
    main(int(sys.argv[1]))
