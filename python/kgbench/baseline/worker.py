# SPDX-License-Identifier: Apache-2.0
"""Times baselines on the CPU on request: `python -m kgbench.baseline.worker FD`.

{"id", "run": "time", "call": CALL, "baseline": expression, "seed", "trial", "number"} gives {"ok": true, "ns": n}: one
call on fresh values and cold caches, expression compiled beforehand, as many threads as torch takes by itself.
"""

import math
import sys
import time

import torch

from kgbench import _kgbench, frame
from kgbench.oracle import inputs


def _time(request):
    call, seed = request["call"], int(request["seed"], 16)

    def make(spec, path):
        return inputs.real_tensor(spec, path, seed, request["trial"], request["number"])

    _, _, names = inputs.arguments(call, make)
    code = compile(request["baseline"], "<baseline>", "eval")
    scope = {"torch": torch, "math": math}
    _kgbench.flush_caches()
    start = time.perf_counter_ns()
    result = eval(code, scope, names)  # an expression of our own catalogue
    ns = time.perf_counter_ns() - start
    del result
    return {"ok": True, "ns": ns}


def main(fd):
    while True:
        try:
            request, _ = frame.read(fd)
        except EOFError:
            return
        try:
            with torch.inference_mode():
                reply = _time(request)
        except Exception as error:  # the catalogue's fault
            reply = {"ok": False, "error": {"kind": "infra", "message": f"{type(error).__name__}: {error}"}}
        frame.write(fd, {"id": request.get("id"), **reply})


if __name__ == "__main__":
    main(int(sys.argv[1]))
