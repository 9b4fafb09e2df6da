# SPDX-License-Identifier: Apache-2.0
"""The candidate's module in this process, and what its exceptions are called."""

import gc
import importlib.util
import os
import sys
import threading
import types

import torch

from kgbench import _kgbench, frame
from kgbench.author import errors, policy
from kgbench.author.places import Places

MODULE_NAME = "kgbench_candidate"
# What the judge's word rests on; whoever replaces one of these wants to be believed.
WATCHED = [(torch.cuda, ("CUDAGraph", "Event", "Stream", "graph", "stream", "synchronize")),
           (torch.cuda.Stream, ("synchronize", "wait_stream")), (torch.cuda.CUDAGraph, ("replay", "raw_cuda_graph")),
           (torch.Tensor, ("copy_", "fill_", "cpu", "contiguous")), (torch, ("equal", "empty", "zeros")),
           (frame, ("read", "write")),
           (_kgbench, ("adopt_graph", "start_activity", "take_activity", "time_graph"))]


PACKAGES = os.path.dirname(os.path.dirname(torch.__file__))
COMPILING = tuple(os.path.join(PACKAGES, *path, "") for path in (("torch", "_inductor"), ("tqdm",)))


def is_inductor_s(thread):
    """torch.compile leaves threads that listen to its compiling processes and watch its progress bars; the census tells
    whose kernels ran."""
    runs = getattr(thread, "_target", None) or type(thread).run
    code = getattr(getattr(runs, "__func__", runs), "__code__", None)
    return getattr(code, "co_filename", "").startswith(COMPILING)


class Failure(Exception):
    """What ends a request: a kind of docs/contracts/findings.md and what goes with it."""

    def __init__(self, kind, message, file="", line=0, details=None):
        super().__init__(message)
        self.error = {"kind": kind, "message": message, "file": file, "line": line, "details": details or {}}


class Candidate:
    """An imported file and its entries. Raises Failure where it cannot be imported or lacks an entry."""

    def __init__(self, request):
        folders = (request.get("library") or {}).get("folders", [])
        self._root = os.getcwd()
        self._places = types.SimpleNamespace(places=Places([self._root, *folders]))
        self._files = {}  # {name of a kernel: file, or None}
        self._watched = [(owner, name, getattr(owner, name)) for owner, names in WATCHED for name in names]
        os.environ.update((request.get("library") or {}).get("environment") or {})
        sys.dont_write_bytecode = True
        sys.path[:0] = [self._root, *folders]
        if not request.get("library"):
            policy.install_import_gate(os.path.realpath(self._root) + os.sep)
        self._file = os.path.realpath(os.path.join(self._root, request["file"]))
        self._module = self._load(self._file)
        missing = [e for e in request["entries"] if not callable(getattr(self._module, e, None))]
        if missing:
            raise Failure("missing_entry", f"the file defines no function {', '.join(missing)}", request["file"],
                          details={"entries": "; ".join(missing)})
        self._threads = set(threading.enumerate())

    def _load(self, path):
        try:
            with open(path, "rb") as file:
                compile(file.read(), path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError) as error:
            raise Failure("syntax_error", getattr(error, "msg", None) or str(error), os.path.basename(path),
                          getattr(error, "lineno", None) or 0) from None
        spec = importlib.util.spec_from_file_location(MODULE_NAME, path)
        module = sys.modules[MODULE_NAME] = importlib.util.module_from_spec(spec)
        try:
            spec.loader.exec_module(module)
        except BaseException as error:
            raise self.failure(error, True) from None
        return module

    def file_of(self, kernel):
        """The candidate's file that a Triton kernel of this name stands in; None: no such kernel is its own. What was written
        beside it since is not: Inductor keeps the kernels that it makes in the workspace."""
        if kernel not in self._files:
            from triton.runtime.interpreter import InterpretedFunction
            from triton.runtime.jit import JITFunction
            self._files[kernel] = None
            kinds = (JITFunction, InterpretedFunction)
            functions = [found.fn for found in gc.get_objects() if issubclass(type(found), kinds)]
            for function in [fn for fn in functions if fn is not None]:  # Inductor drops those of its own
                path = os.path.realpath(function.__code__.co_filename)
                file = self._places.places.inside(path)
                if file is not None and (path == self._file or not path.startswith(os.path.realpath(self._root) + os.sep)):
                    self._files[function.__name__] = file
        return self._files[kernel]

    def entry(self, name):
        return getattr(self._module, name)

    def failure(self, error, importing=False):
        """The Failure of an exception that left the candidate."""
        kind, message, file, line, details = errors.describe(error, self._places, importing)
        return Failure(kind, message, file, line, {k: v if isinstance(v, str) else "\n".join(v) for k, v in details.items()})

    def odd(self):
        """Findings about what the calls left behind: replaced functions, threads that go on."""
        changed = [name for owner, name, value in self._watched if getattr(owner, name, None) is not value]
        found = [Failure("judge_patched", f"replaced {name}").error for name in changed[:8]]
        late = [thread for thread in threading.enumerate() if thread not in self._threads and not is_inductor_s(thread)]
        self._threads.update(late)
        if late:
            runs = getattr(getattr(late[0], "_target", None), "__qualname__", type(late[0]).__name__)
            found.append(Failure("race", f"a thread that the call started goes on after its return: {late[0].name}, which runs "
                                 f"{runs}").error)
        return found
