# SPDX-License-Identifier: Apache-2.0
"""The zygote: a warm Python without devices that forks one locked author process for each request of kgbench."""

import faulthandler
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import struct
import sys
import sysconfig
import time

from kgbench import _kgbench

# Theory of operation. kgbench starts this module with a Unix socket. The zygote imports what authors need, compiles one
# kernel, says hello, and then answers each request by a fork. The new process is a child of kgbench (CLONE_PARENT),
# in its own namespaces; the zygote hands its pidfd over, never waits for it, and has no other contact with it. The
# zygote never sees a candidate. When kgbench goes, its end of the socket closes: the zygote kills what it forked.
# Trusted workers of kgbench are forked here too, so that torch is imported once. They run no candidate and have no
# lock; seeds and expected values reach them over their own channel, after the fork, so that no author's memory holds
# any.

_HEADER = struct.Struct("<4sIQ")  # as kgbench.frame, but read with the descriptors that come along
_MAGIC = b"KGF1"
_MAX_FDS = 8
_FD_NAMES = ("result", "out", "err", "status")  # in this order in an author's request; control groups follow


def _read(sock, size, fds):
    """Exactly `size` bytes, or None at the end of the stream; descriptors that come along are added to `fds`."""
    parts = []
    while size:
        data, new, _, _ = socket.recv_fds(sock, size, _MAX_FDS)
        fds += new
        if not data:
            return None
        parts.append(data)
        size -= len(data)
    return b"".join(parts)


def _receive(sock):
    """One request: (dict, descriptors), or None when kgbench has closed its end."""
    fds = []
    header = _read(sock, _HEADER.size, fds)
    if header is None:
        return None
    magic, size, blob = _HEADER.unpack(header)
    if magic != _MAGIC or blob:
        raise ValueError("the bytes from kgbench are no request")
    text = _read(sock, size, fds)
    return None if text is None else (json.loads(text), fds)


def _send(sock, message, fds=()):
    text = json.dumps(message, separators=(",", ":")).encode()
    data = _HEADER.pack(_MAGIC, len(text), 0) + text
    sent = socket.send_fds(sock, [data], list(fds)) if fds else 0
    sock.sendall(data[sent:])


def _take_descriptors(out, err, keep):
    """In the new process: standard streams of its own, and no descriptor of the zygote's."""
    null = os.open("/dev/null", os.O_RDONLY)
    for number, fd in enumerate((null, out, err)):
        os.dup2(fd, number)
    _kgbench.sandbox_close_others(keep)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _worker(message, fds):
    """In the new process: runs a trusted worker. Returns its exit code."""
    channel, out, err = fds
    _take_descriptors(out, err, [channel])
    return importlib.import_module(message["worker"]).main([message["worker"], str(channel)]) or 0


def _author(message, fds):
    """In the new process: takes its descriptors, locks itself, runs the session. Returns the exit code."""
    named = dict(zip(_FD_NAMES, fds))
    groups = fds[len(_FD_NAMES):]
    _take_descriptors(named["out"], named["err"], [named["result"], named["status"], *groups])
    os.environ.update(message["environment"])
    try:
        layers = _kgbench.sandbox_lock(message["lock"], groups)
        os.chdir(message["workspace"])
    except BaseException as error:
        # Ours to report: no line of the candidate has run.
        os.write(named["status"], f"error {error}".encode())
        return 1
    for fd in groups:
        os.close(fd)
    os.write(named["status"], b"locked " + layers.encode())
    os.close(named["status"])
    faulthandler.enable()
    session = message["session"]
    session["nonce"] = message["nonce"]
    return importlib.import_module(message["module"]).main(session, named["result"]) or 0


def _fork(message, fds):
    """Forks one author or worker. Returns (pid, pidfd); never returns in the new process."""
    pid, pidfd = _kgbench.sandbox_fork(message.get("namespaces", 0))
    if pid:
        return pid, pidfd
    code = 1
    try:
        code = _worker(message, fds) if "worker" in message else _author(message, fds)
    except BaseException as error:
        if isinstance(error, SystemExit):
            code = error.code if isinstance(error.code, int) else 1
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                pass
        os._exit(code & 255 if isinstance(code, int) else 1)


def _answer(sock, message, fds, children):
    try:
        pid, pidfd = _fork(message, fds)
    except OSError as error:
        _send(sock, {"id": message.get("id"), "error": f"cannot fork: {error}"})
        return
    _send(sock, {"id": message["id"], "pid": pid}, [pidfd])
    children.add(pidfd)


def serve(sock):
    """Answers requests until kgbench closes its end; then kills what still runs."""
    children = set()  # pidfds of processes that may still run
    while True:
        watched, _, _ = select.select([sock, *children], [], [])
        for pidfd in [fd for fd in watched if fd is not sock]:
            children.discard(pidfd)
            os.close(pidfd)
        if sock not in watched:
            continue
        request = _receive(sock)
        if request is None:
            break
        message, fds = request
        try:
            _answer(sock, message, fds, children)
        finally:
            for fd in fds:
                os.close(fd)
    for pidfd in children:
        try:
            signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        except OSError:
            pass  # it has ended


def warm_up(preload, session):
    """Imports what authors use and lets the recorder compile its kernel. Returns notes on what could not be done."""
    notes = []
    for name in (*preload, session):
        try:
            importlib.import_module(name)
        except ImportError as error:
            notes.append(f"cannot import {name}: {error}")
    recorder = sys.modules.get("kgbench.author.recorder")
    if recorder is not None:
        recorder.warm_up()
    return notes


def _facts(notes, started):
    """What kgbench needs to build an author's lock: where this interpreter and its packages lie."""
    paths = {sys.prefix, sys.base_prefix, sys.exec_prefix, *sysconfig.get_paths().values()}
    paths.update(path for path in sys.path if path)
    paths.update(path for name in ("kgbench", "torch", "triton") if name in sys.modules
                 for path in sys.modules[name].__path__)
    needed = [sys.executable, os.__file__, _kgbench.__file__]
    needed += [sys.modules[name].__file__ for name in ("kgbench", "torch", "triton") if name in sys.modules]
    versions = {name: getattr(sys.modules[name], "__version__", "") for name in ("torch", "triton")
                if name in sys.modules}
    return {"hello": 1, "python": sys.version.split()[0], "versions": versions,
            "paths": sorted({os.path.realpath(p) for p in paths if os.path.exists(p)}),
            "needed": [os.path.abspath(p) for p in needed if p],
            "threads": len(os.listdir("/proc/self/task")), "notes": notes,
            "ms": round((time.monotonic() - started) * 1e3)}


def main(argv):
    started = time.monotonic()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ^C is for kgbench, which ends us
    options = json.loads(argv[1])
    sock = socket.socket(fileno=options["socket"])
    sock.set_inheritable(False)
    gc.disable()  # there is little garbage in imports, and looking for it costs a tenth of them
    notes = warm_up(options["preload"], options["module"])
    gc.enable()
    gc.freeze()  # no collection in a child touches, and so copies, the pages of these objects
    gc.set_threshold(200_000, 20, 100)  # Triton's front end makes much that is no garbage: a quarter of its time
    _send(sock, _facts(notes, started))
    serve(sock)
    # kgbench removes its folders itself, unless it was killed.
    shutil.rmtree(options["home"], ignore_errors=True)
    os._exit(0)  # nothing is left to do, and taking torch down in order costs as much as a tenth of its import


if __name__ == "__main__":
    main(sys.argv)
