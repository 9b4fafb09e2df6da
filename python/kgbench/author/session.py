# SPDX-License-Identifier: Apache-2.0
"""One author process: imports a candidate, makes its calls on phantom tensors, writes one frame per job."""

import base64
import gc
import importlib.util
import itertools
import os
import sys
import time

import torch

from kgbench import frame

from . import cuda_shim, dispatch, generator, hooks, plan_writer, policy, tensor_cures, triton_driver
from . import recorder as recording
from .arguments import Arguments
from .chips import Chip
from .errors import describe
from .plan_writer import RecordedCall

MODULE_NAME = "kgbench_candidate"
MAX_SOURCE = 4 << 20
MAX_RECORDING = 60 << 20  # bytes; the judge reads up to 64 MiB
THREAD_WAIT_S = 0.5


class Failure(Exception):
    """An error frame: a kind of docs/contracts/findings.md and what goes with it."""

    def __init__(self, kind, message, file="", line=0, **details):
        super().__init__(message)
        self.error = {"kind": kind, "message": message, "file": file, "line": line, "details": details}


class Session:
    """State between jobs: the imported candidate, the recorder, and the nodes that the import itself made."""

    def __init__(self, request):
        self.request = request
        self.workspace = os.path.realpath(request.get("workspace") or os.getcwd())
        self.path = os.path.join(self.workspace, request["file"])
        self.seed = int(request.get("generator_seed", 0))
        self.recorder = recording.Recorder(self.workspace, request.get("forbid", ()),
                                           int(request.get("upload_cap", 65536)), self._library_folders())
        self.module = None
        self.import_job = 0
        self.import_call = None  # RecordedCall of the import
        self.fugitive = None     # Failure once a thread has outlived its call
        self.stateful = False    # keeps tensors between calls: each job gets a fresh import
        self._jobs = itertools.count(1)

    def _library_folders(self):
        return [os.path.realpath(folder) for folder in (self.request.get("library") or {}).get("folders", ())]

    def prepare(self):
        """Everything that must be in place before a line of the candidate runs."""
        sys.dont_write_bytecode = True
        torch.set_num_threads(1)
        chip = Chip(self.request.get("chip") or {})
        streams = cuda_shim.install(self.recorder, chip)
        self.default_generator = generator.install(self.seed)
        generator.seed_all(self.seed, self.default_generator)
        tensor_cures.install(self.recorder)
        self.benchmarker = triton_driver.install(self.recorder, chip, self.workspace,
                                                 self.request.get("autotune") or {},
                                                 lambda: streams.current.handle)
        hooks.keep_locks_in_process()
        hooks.note_implementations(self.recorder)
        self.threads = hooks.record_threads(self.recorder)
        library = self.request.get("library")
        if library:
            os.environ.update(library.get("environment") or {})
        else:
            policy.install_import_gate(self.recorder.root)
        sys.path[:0] = [self.workspace, *self._library_folders()]
        self.watch = policy.Watch()

    # -- the candidate's module ------------------------------------------------------------------------------
    def check_source(self):
        """Compiles the text; Failure with not_utf8 or syntax_error."""
        try:
            with open(self.path, "rb") as file:
                data = file.read(MAX_SOURCE + 1)
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Failure("not_utf8", f"the file is not UTF-8 text (byte {error.start})") from None
        if not text.strip() or len(data) > MAX_SOURCE:
            raise Failure("not_utf8", f"the file is empty or larger than {MAX_SOURCE} bytes")
        try:
            compile(text, self.path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:  # ValueError: null bytes
            line = getattr(error, "lineno", None) or 0
            raise Failure("syntax_error", getattr(error, "msg", None) or str(error), self.request["file"],
                          line) from None

    def load(self):
        """Imports the candidate under a fresh module; what the import does is kept for the jobs that use it."""
        job = next(self._jobs)
        self.recorder.begin(job, 0)
        self.recorder.home = job
        self._forget_import()
        spec = importlib.util.spec_from_file_location(MODULE_NAME, self.path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[MODULE_NAME] = module
        try:
            with dispatch.RecordingMode(self.recorder):
                spec.loader.exec_module(module)
        except BaseException as error:
            raise self.failure(error, importing=True) from None
        self.module = module
        self.import_call = RecordedCall(self.recorder.nodes, self.recorder.events, "none", [])
        self.recorder.end_call()
        self.recorder.streams.end_call()
        missing = [e for e in self.request["entries"] if not callable(getattr(module, e, None))]
        if missing:
            raise Failure("missing_entry", f"the file defines no function {', '.join(missing)}", self.request["file"],
                          entries=missing)

    def _forget_import(self):
        """Takes back what an earlier import left in the process, so that the next one starts as the first did."""
        while self.recorder.libraries:
            self.recorder.libraries.pop()._destroy()
        self.recorder.implemented.clear()
        if self.module is not None:
            for name, module in list(sys.modules.items()):
                if self.recorder.places.inside(getattr(module, "__file__", None) or "") is not None:
                    del sys.modules[name]

    # -- jobs ------------------------------------------------------------------------------------------------
    def record(self, job):
        """The recording of one job as JSON bytes. Failure when the candidate raised or cannot be recorded."""
        self.host_values = job.get("host_values") or {}
        if self.fugitive is not None:
            raise self.fugitive
        for _ in range(2):
            if self.stateful:
                self.load()
            self.recorder.foreign = None
            number = next(self._jobs)
            inputs, calls, results = [], [], []
            seed = generator.workload_seed(self.seed, job["workload"])
            generator.seed_all(seed, self.default_generator)
            self.generator = generator.DeviceGenerator(seed)  # the three calls advance one generator
            wanted = False
            for index in range(len(job["calls"])):
                # Behind a read whose bytes are wanted no call is made; its inputs belong to the recording all the same.
                arguments, result, recorded = self._call(number, index, job, made=not wanted)
                wanted = wanted or self.recorder.reads.wanted is not None
                inputs += arguments.inputs
                if not recorded.returns_inputs():
                    results.append(result)  # as the caller does: what was returned lives to the end of the trial
                calls.append(recorded)
                # The caller lets go of what it passed, and the next call may find its inputs at the same addresses.
                arguments = result = None
                gc.collect()
            if self.recorder.foreign is None:
                break
            # The candidate kept a tensor of an earlier workload. A plan must stand alone: once more, freshly imported.
            self.stateful = True
        else:
            raise Failure("recorder_unsupported", "the candidate keeps tensors of one workload for the next outside "
                          "its own module", self.request["file"])
        imported = self._add_import(calls)
        blob = plan_writer.recording_json(self.request["target"], inputs, calls, number, imported)
        if len(blob) > MAX_RECORDING:
            raise Failure("recorder_unsupported", f"a launch plan of {len(blob)} bytes", self.request["file"])
        return blob

    def _call(self, number, index, job, made=True):
        call = job["calls"][index]
        reads = (job.get("reads") or {index: ()})[index]
        self.recorder.begin(number, index, call["entry"] in self.request.get("reads_own", ()),
                            [base64.b64decode(read) for read in reads])
        try:
            arguments = Arguments(self.recorder, call, index, self.host_values, self.generator)
        except (KeyError, TypeError, ValueError) as error:
            raise Failure("infra", f"the call cannot be made: {type(error).__name__}: {error}") from None
        if not made:
            return arguments, None, RecordedCall([], [], "none", [])
        entry = getattr(self.module, call["entry"], None)
        if not callable(entry):
            raise Failure("missing_entry", f"the file defines no function {call['entry']}", self.request["file"],
                          entries=[call["entry"]])
        self.threads.clear()
        try:
            with dispatch.RecordingMode(self.recorder):
                result = entry(*arguments.positional, **arguments.keyword)
            structure, outputs = plan_writer.returned(self.recorder, result)
        except BaseException as error:
            if self.recorder.reads.wanted is None:
                raise self.failure(error, call=index) from None
        if self.recorder.reads.wanted is not None:  # whatever host code made of it
            return arguments, None, self._stopped()
        self._end_threads(len(self.recorder.nodes))
        self.recorder.end_call()
        joined = self.recorder.streams.end_call()
        if index + 1 == len(job["calls"]):
            self._check_patches()
        return arguments, result, RecordedCall(self.recorder.nodes, self.recorder.events, structure, outputs, joined)

    def _stopped(self):
        """The call up to the read whose bytes are wanted."""
        self._end_threads(len(self.recorder.nodes))
        self.recorder.end_call()
        joined = self.recorder.streams.end_call()
        steps, events = self.recorder.reads.wanted
        return RecordedCall(steps, events, "none", [], joined)

    def _check_patches(self):
        for name in self.watch.changed()[:8]:
            self.recorder.event("judge_patched", name)

    def _end_threads(self, nodes):
        """Waits shortly for what the call started. Work that goes on after the return belongs to no call, and would
        be recorded into whichever comes next: Failure, now and for the jobs that follow."""
        deadline = time.monotonic() + THREAD_WAIT_S
        place = ("", 0)
        for thread, where in self.threads:
            self.recorder.event("thread", thread.name, where)
            place = where if thread.is_alive() else place
            thread.join(max(0.0, deadline - time.monotonic()))
        if len(sys._current_frames()) > 1:  # also those of the import, and those that threading does not know
            self.fugitive = Failure("recorder_unsupported", "a thread that outlives the call", *place)
            raise self.fugitive
        if len(self.recorder.nodes) > nodes:
            # On a device whoever reads the result at the return would read it before this work.
            raise Failure("recorder_unsupported", "a thread that goes on to work after the return of the call", *place)

    def _add_import(self, calls):
        """Puts what the import did before the first call, when the recording uses a buffer of the import. Returns how
        many steps that is."""
        if not any(b.job == self.recorder.home for call in calls for b in call.buffers()):
            kept = ("judge_patched", "recorder_unsupported", "self_benchmark")
            calls[0].events[:0] = [e for e in self.import_call.events if e.kind in kept]
            return 0
        steps, newest = self.import_call.steps, {}
        newest.update((step.stream, step) for step in steps)
        begun = set()
        for step in calls[0].steps:  # the import was over when the call began, whatever stream it used
            if step.stream not in begun:
                begun.add(step.stream)
                step.after += [s for number, s in newest.items() if number != step.stream]
        calls[0].steps[:0] = steps
        calls[0].events[:0] = self.import_call.events
        calls[0].joined = [*calls[0].joined, *newest.values()]
        return len(steps)

    def failure(self, error, importing=False, **details):
        if isinstance(error, Failure):
            return error
        kind, message, file, line, more = describe(error, self.recorder, importing)
        read = next((e for e in self.recorder.events if e.kind == "host_read"), None)
        if kind == "host_exception" and read is not None:
            # Host code went on with made-up values: what it raised then says nothing about it.
            kind, file, line = "host_read", read.where.file, read.where.line
            message = f"{read.what} reads device values, which are not there; later {message}"
        return Failure(kind, message, file, line, **details, **more)


def main(request, result_fd):
    """Runs a session (docs/contracts/wire.md) and writes its frames to `result_fd`. Returns the exit code."""
    nonce = request["nonce"]

    def send(job, failure=None, started=None, blob=b"", **more):
        header = {"nonce": nonce, "job": job, "ok": failure is None, **more}
        if failure is not None:
            header["error"] = failure.error
        if started is not None:
            header["ms"] = round((time.perf_counter() - started) * 1e3, 3)
        frame.write(result_fd, header, blob)

    started = time.perf_counter()
    try:
        session = Session(request)
        session.check_source()
        session.prepare()
        session.load()
    except Failure as failure:
        send("import", failure, started)
        send("end")
        return 0
    send("import", None, started)
    for job in request["jobs"]:
        started = time.perf_counter()
        try:
            blob = session.record(job)
        except Failure as failure:
            send(job["workload"], failure, started)
        except Exception as error:  # the recorder's own: its fault, unless the candidate replaced parts of it
            changed = session.watch.changed()
            kind = "judge_patched" if changed else "infra"
            send(job["workload"], Failure(kind, f"{type(error).__name__}: {error}", replaced=changed[:8]), started)
        else:
            send(job["workload"], None, started, blob, autotuned=session.benchmarker.tuned)
    send("end")
    return 0


