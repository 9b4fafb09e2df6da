# SPDX-License-Identifier: Apache-2.0
"""kgbench.Judge: the judge as a reward, over `kgbench judge --stream`."""

import itertools
import json
import os
import queue
import shutil
import subprocess
import threading
from dataclasses import dataclass, field


class JudgeError(RuntimeError):
    """The judge itself could not work; never a candidate's fault."""


@dataclass(frozen=True)
class Result:
    """One verdict. `speedup` is None where nothing was timed."""

    id: object
    op: str
    verdict: str
    gate: str
    workloads_passed: int
    workloads_judged: int
    message: str
    retryable: bool
    speedup: dict | None
    profile: str = "careful"
    ms: dict = field(repr=False, default_factory=dict)

    @property
    def passed(self):
        return self.verdict == "pass"


class Judge:
    """Keeps one warm judge and feeds it candidates.

    judge = Judge(lanes=2)
    result = judge("aten::softmax", source)            # blocks
    for result in judge.map(("softmax", s) for s in samples): ...   # as they finish
    """

    def __init__(self, lanes=2, command=None, options=(), window=None):
        command = command or os.environ.get("KGBENCH_COMMAND") or shutil.which("kgbench")
        if not command:
            raise JudgeError("the program kgbench is not on PATH; pass command= or set KGBENCH_COMMAND")
        # A bounded window is the backpressure: map() takes no more from its source than can be under way.
        self._window = window or 4 * lanes
        self._process = subprocess.Popen(
            [command, "judge", "--stream", "-j", str(lanes), *options],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", bufsize=1)
        self._ids = itertools.count()
        self._waiting = {}
        self._lock = threading.Lock()
        self._write_lock = threading.Lock()
        self._dead = None
        threading.Thread(target=self._read, daemon=True).start()

    def __call__(self, op, source, **request):
        answer = queue.SimpleQueue()
        self._send(op, source, request, answer)
        return self._result(answer.get())

    def map(self, candidates):
        """Judges (op, source) pairs; yields results as they finish, `id` being the pair's index."""
        answers, under_way = queue.SimpleQueue(), 0
        for index, (op, source) in enumerate(candidates):
            while under_way >= self._window:
                yield self._result(answers.get())
                under_way -= 1
            self._send(op, source, {}, answers, index)
            under_way += 1
        for _ in range(under_way):
            yield self._result(answers.get())

    def close(self):
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        self._process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def _send(self, op, source, request, answer, index=None):
        with self._lock:
            if self._dead:
                raise JudgeError(self._dead)
            own = next(self._ids)
            self._waiting[own] = (answer, own if index is None else index)
        line = json.dumps({"id": own, "op": op, "source": source, **request})
        try:
            with self._write_lock:
                self._process.stdin.write(line + "\n")
                self._process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise JudgeError("the judge has ended; its messages are on standard error") from error

    def _read(self):
        for line in self._process.stdout:
            message = json.loads(line)
            with self._lock:
                answer, index = self._waiting.pop(message["id"], (None, None))
            if answer is not None:
                answer.put((index, message))
        with self._lock:
            self._dead = "the judge has ended; its messages are on standard error"
            for answer, index in self._waiting.values():
                answer.put((index, {"error": self._dead}))
            self._waiting.clear()

    @staticmethod
    def _result(answer):
        index, message = answer
        if "error" in message:
            raise JudgeError(message["error"])
        fields = {k: v for k, v in message.items() if k not in ("schema", "id")}
        return Result(id=index, **fields)
