# SPDX-License-Identifier: Apache-2.0
"""A session for tests of the zygote: does what the request names, honest or not. 0: the deed was done."""

import ctypes
import os
import socket
import struct
import subprocess
import sys
import time

from kgbench import frame


def _send(session, fd, **more):
    frame.write(fd, {"nonce": session["nonce"], **more}, b"blob")


def honest(session, fd):
    print("printed")
    print("complained", file=sys.stderr)
    _send(session, fd, job="import", ok=True)
    _send(session, fd, job="end", text=session.get("text", ""), pid=os.getpid(), cwd=os.getcwd())
    with open("made", "w") as file:
        file.write("in the workspace")
    return 0


def returns(session, fd):
    return session["code"]


def raises(session, fd):
    raise RuntimeError("of the candidate")


def exits(session, fd):
    sys.exit(session["code"])


def exits_hard(session, fd):
    os._exit(session["code"])


def crashes(session, fd):
    _send(session, fd, job="import", ok=True)
    ctypes.string_at(8)
    return 0


def loops(session, fd):
    while True:
        pass


def sleeps(session, fd):
    time.sleep(session["seconds"])
    _send(session, fd, job="end")
    return 0


def hogs(session, fd):
    kept = []
    for _ in range(200):
        kept.append(bytearray(4 << 20))
        time.sleep(0.002)
    return 0


def prints(session, fd):
    block = b"x" * (1 << 20)
    for _ in range(session["mib"]):
        os.write(1, block)
    _send(session, fd, job="end")
    return 0


def fills_disk(session, fd):
    for number in range(200):
        with open(f"file{number}", "wb") as file:
            file.write(b"x" * (1 << 20))
        time.sleep(0.01)
    return 0


def fills_disk_out_of_sight(session, fd):
    """As fills_disk, in a folder that its owner may write but not list."""
    os.mkdir("hidden", 0o300)
    os.chdir("hidden")
    return fills_disk(session, fd)


def sees_descriptors(session, fd):
    """0 when some descriptor besides standard ones and the result channel is open."""
    for number in range(3, 1024):
        try:
            os.fstat(number)
        except OSError:
            continue
        if number != fd:
            return 0
    return 1


# -- the result channel ------------------------------------------------------------------------------------------

def garbage(session, fd):
    _send(session, fd, job="import", ok=True)
    os.write(fd, b"\x00\xff" * 1000)
    return 0


def other_nonce(session, fd):
    frame.write(fd, {"nonce": "0" * 32, "job": "s1", "ok": True})
    return 0


def no_nonce(session, fd):
    frame.write(fd, ["not", "an", "object"])
    return 0


def closes(session, fd):
    os.close(fd)
    return 0


def truncates(session, fd):
    _send(session, fd, job="import", ok=True)
    os.write(fd, struct.pack("<4sIQ", b"KGF1", 100, 0) + b"{")
    return 0


def promises_much(session, fd):
    os.write(fd, struct.pack("<4sIQ", b"KGF1", 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF))
    return 0


def floods_result(session, fd):
    block = b"KGF1" * (1 << 18)
    for _ in range(session["mib"]):
        os.write(fd, block)
    return 0


# -- out of the box ----------------------------------------------------------------------------------------------

def writes_outside(session, fd):
    with open(session["outside"] + "/evil", "w") as file:
        file.write("evil")
    return 0


def reads_private(session, fd):
    with open(session["outside"] + "/private") as file:
        return 0 if file.read() == "private" else 1


def opens_socket(session, fd):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 9))
    return 0


def runs_program(session, fd):
    return subprocess.run(["/bin/true"], check=False).returncode


def signals_parent(session, fd):
    parent = os.getppid()
    if parent == 0:
        return 1  # nobody to see
    os.kill(parent, 0)
    return 0


def leaves_daemon(session, fd):
    """Holds a lock on a file of the workspace for as long as it lives; it lives on when its parents are gone."""
    import fcntl
    lock = open("alive", "w")
    fcntl.flock(lock, fcntl.LOCK_SH)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(session["seconds"])
        os._exit(0)
    return 0


def holds(session, fd):
    import fcntl
    lock = open("alive", "w")
    fcntl.flock(lock, fcntl.LOCK_SH)
    while True:
        time.sleep(1)


def main(session, result_fd):
    return globals()[session["do"]](session, result_fd)
