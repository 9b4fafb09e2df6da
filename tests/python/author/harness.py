# SPDX-License-Identifier: Apache-2.0
"""Runs author sessions in forked children of one warm process, as the zygote does, and reads their frames."""
import json
import os
import shutil
import tempfile
import threading
from pathlib import Path

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # before torch: an author never sees a device

from kgbench import frame
from kgbench.author import recorder, session

HOST_CODES = Path(__file__).parent / "host_codes"
_warm = []


def tensor(dtype, *shape, strides=None, offset=0, storage=None, domain=("normal", 0, 1), mutated=False, host=False):
    """A tensor spec of docs/contracts/call.md; contiguous unless told otherwise."""
    if strides is None:
        strides, step = [], 1
        for extent in reversed(shape):
            strides.insert(0, step)
            step *= max(extent, 1)
    if storage is None:
        storage = 0 if 0 in shape else offset + 1 + sum((n - 1) * s for n, s in zip(shape, strides))
    return {"dtype": dtype, "shape": list(shape), "strides": list(strides), "offset": offset, "storage": storage,
            "domain": list(domain), "mutated": mutated, "host": host}


def argument(name, value, keyword=False):
    """An argument from a spec (dict), a list of specs, or a pair (kind, value)."""
    if isinstance(value, dict):
        arg = {"name": name, "tensor": value}
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        arg = {"name": name, "tensors": value}
    else:
        kind, given = value
        arg = {"name": name, kind: given}
    if keyword:
        arg["keyword"] = True
    return arg


def call(entry, *args, **keyword):
    """A call: positional arguments are (name, value) pairs, keyword ones are passed by name."""
    return {"op": "test::op", "entry": entry, "workload": "s1",
            "args": [argument(n, v) for n, v in args] + [argument(n, v, True) for n, v in keyword.items()]}


class Answer:
    """What a session wrote: frames by job, recordings of the jobs that worked, exit status."""

    def __init__(self, frames, status, output=""):
        self.frames, self.status = frames, status
        self.by_job = {header["job"]: header for header, _ in frames}
        self.recordings = {header["job"]: json.loads(blob) for header, blob in frames if blob}

    def recording(self, job="s1"):
        header = self.by_job.get(job) or self.by_job["import"]
        assert header["ok"], header["error"]
        return self.recordings[job]

    def error(self, job="s1"):
        header = self.by_job.get(job) or self.by_job["import"]
        assert not header["ok"], "the job was expected to fail"
        return header["error"]


def run(source, *jobs, **request):
    """Runs a session over `source` (a path or text). A job is a call (made three times) or a list of three calls;
    jobs are named s1, s2, ... Further request fields by keyword; host_values and reads go into every job."""
    if not _warm:
        recorder.warm_up()
        _warm.append(True)
    workspace = tempfile.mkdtemp(prefix="kgb-author-")
    try:
        text = source.read_text() if isinstance(source, Path) else source
        Path(workspace, "candidate.py").write_bytes(text if isinstance(text, bytes) else text.encode())
        return _fork(workspace, jobs, request)
    finally:
        shutil.rmtree(workspace, ignore_errors=True)


def _fork(workspace, jobs, request):
    more = {"host_values": request.pop("host_values", {}), "reads": request.pop("reads", [[], [], []])}
    made = [{"workload": f"s{i + 1}", "calls": job if isinstance(job, list) else [job] * 3, **more}
            for i, job in enumerate(jobs)]
    full = {"op": "test::op", "file": "candidate.py", "language": "triton", "target": "h200", "nonce": "abc",
            "chip": {}, "entries": sorted({c["entry"] for job in made for c in job["calls"]}), "forbid": [],
            "no_kernel": False, "library": None, "upload_cap": 65536, "generator_seed": 123,
            "autotune": {"mode": "first", "table": {}}, "workspace": workspace, "jobs": made, **request}
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        code = 70
        try:
            os.close(reader)
            code = session.main(full, writer)
        finally:
            os._exit(code)
    os.close(writer)
    frames = []
    thread = threading.Thread(target=_collect, args=(reader, frames))
    thread.start()
    _, status = os.waitpid(child, 0)
    thread.join()
    os.close(reader)
    return Answer(frames, os.waitstatus_to_exitcode(status))


def _collect(fd, frames):
    while True:
        try:
            frames.append(frame.read(fd))
        except EOFError:
            return
