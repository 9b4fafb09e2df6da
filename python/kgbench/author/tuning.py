# SPDX-License-Identifier: Apache-2.0
"""Autotuning and benchmarks inside a candidate: one configuration is chosen by rule, never by a clock."""

import inspect

import triton
import triton.testing
from triton.runtime.autotuner import Autotuner

PRETENDED_MS = 1.0


def tuner_of(call):
    """The Autotuner and configuration behind the closure that an Autotuner hands to a benchmark, or None."""
    if not inspect.isfunction(call) or call.__qualname__ != "Autotuner._bench.<locals>.kernel_call":
        return None
    values = inspect.getclosurevars(call).nonlocals
    tuner = values.get("self")
    return (tuner, values.get("config")) if isinstance(tuner, Autotuner) else None


class Benchmarker:
    """Answers Triton's questions for times.

    `autotune`: {"mode": "first", "table": {kernel name: index}}. The first configuration at or after the index that
    compiles wins (default 0); it is compiled in a trial whose nodes are dropped, so the plan holds the chosen
    launch alone. Mode "all" keeps every configuration's launches in the plan, as a real tuning run makes them.
    """

    def __init__(self, recorder, autotune):
        self._recorder = recorder
        self._mode = autotune.get("mode", "first")
        if self._mode not in ("first", "all"):
            raise ValueError(f"autotune mode {self._mode!r}: use \"first\" or \"all\"")
        self._table = autotune.get("table") or {}
        self._session = None   # [the tuner's arguments, configurations seen, found one]
        self.tuned = {}        # kernel name -> {"configurations", "chosen"}

    def install(self):
        triton.testing.do_bench = self.do_bench
        triton.testing.do_bench_cudagraph = self.do_bench
        Autotuner.do_bench = property(lambda tuner: self)  # also in place of a benchmark of the candidate's own

    def __call__(self, call, quantiles=None, **settings):
        tuned = tuner_of(call)
        if tuned is None:
            return self._self_benchmark(call, quantiles, settings.get("return_mode", "mean"))
        value = self._score(*tuned, call)
        return [value] * len(quantiles) if quantiles else value

    def do_bench(self, fn, warmup=25, rep=100, grad_to_none=None, quantiles=None, return_mode="mean"):
        return self(fn, quantiles=quantiles, return_mode=return_mode)

    def _score(self, tuner, config, call):
        # nargs is made anew for each tuning run and lives through it.
        if self._session is None or self._session[0] is not tuner.nargs:
            self._session = [tuner.nargs, 0, False]
        index, self._session[1] = self._session[1], self._session[1] + 1
        name = tuner.base_fn.__name__
        if self._mode == "all":
            call()
        elif self._session[2] or index < int(self._table.get(name, 0)):
            return 1000.0 + index  # never compiled
        else:
            with self._recorder.trial():
                call()
        if self._session[2]:
            return 1000.0 + index
        self._session[2] = True
        self.tuned[name] = {"configurations": len(tuner.configs), "chosen": index}
        return 0.5

    def _self_benchmark(self, call, quantiles, return_mode):
        self._recorder.event("self_benchmark", "triton.testing.do_bench")
        with self._recorder.trial():
            call()
        if quantiles:
            return [PRETENDED_MS] * len(quantiles) if len(quantiles) > 1 else PRETENDED_MS
        return [PRETENDED_MS] if return_mode == "all" else PRETENDED_MS


