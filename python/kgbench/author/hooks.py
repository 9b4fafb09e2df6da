# SPDX-License-Identifier: Apache-2.0
"""Hooks beside the dispatch mode: libraries that a candidate registers, threads that it starts, locks that it makes."""

import multiprocessing
import threading

import torch

from .dispatch import RecordingMode


def note_implementations(recorder):
    """Notes the operators of torch that the candidate registers kernels for on the device (torch.library), and the
    libraries, which a fresh import of the candidate must be able to define again."""
    implement, start = torch.library.Library.impl, torch.library.Library.__init__

    def started(library, *args, **kwargs):
        start(library, *args, **kwargs)
        recorder.libraries.append(library)

    def noted(library, op_name, fn, dispatch_key="", **kwargs):
        if dispatch_key == "CUDA":
            name = op_name.name() if isinstance(op_name, torch._ops.OpOverload) else op_name
            recorder.implemented.add(name if "::" in name else f"{library.ns}::{name}")
        return implement(library, op_name, fn, dispatch_key, **kwargs)

    torch.library.Library.impl, torch.library.Library.__init__ = noted, started


def keep_locks_in_process():
    """Locks between processes need shared memory, which an author does not get. It is one process: those between
    threads do the same, and host code that makes them beside its kernels goes on."""
    for name in ("Lock", "RLock", "Semaphore", "BoundedSemaphore", "Condition", "Event"):
        setattr(multiprocessing, name, getattr(threading, name))


def record_threads(recorder):
    """Threads started from now on record like the one that started them. Returns the list of (thread, Where)."""
    started = []
    start = threading.Thread.start

    def start_recorded(thread):
        run = thread.run  # of the thread's own class

        def run_recorded():
            with RecordingMode(recorder):
                run()

        thread.run = run_recorded
        started.append((thread, recorder.where()))
        start(thread)

    threading.Thread.start = start_recorded
    return started
