# SPDX-License-Identifier: Apache-2.0
"""Exceptions of a candidate as findings: kind, message, and the candidate's file and line."""

import os
import sys
import traceback

import torch
from triton.compiler.errors import CompilationError
from triton.runtime.errors import OutOfResources

from .nodes import Unsupported, clean_text, type_name
from .policy import ImportRefused

# What torch says where it reaches for the driver below everything that the recorder sees.
NO_DEVICE = ("Found no NVIDIA driver", "CUDA driver version is insufficient", "No CUDA GPUs are available",
             "hasPrimaryContext expects a valid device index")
MAX_MESSAGE = 4000
MAX_TRACE = 20


def describe(error, recorder, importing):
    """(kind, message, file, line, details) of an exception that left the candidate."""
    kind = _kind(error, importing)
    file, line = place(error, recorder.places)
    details = {"type": type_name(type(error)), "traceback": trace(error, recorder.places)}
    message = _text(error)
    if kind == "frontend_error":
        root = error
        while isinstance(root.__cause__, CompilationError):
            root = root.__cause__
        found = kernel_line(root, recorder.places)
        if found:
            file, line = found
        message = _text(root)
    if kind == "recorder_unsupported" and not isinstance(error, Unsupported):
        message = f"asks for the device below what the recorder sees; {message.splitlines()[0]}"
    return kind, message, file, line, details


def _text(error):
    """"ValueError: what it says"; an exception of the candidate's may refuse to say anything."""
    try:
        return clean_text(f"{type(error).__name__}: {error}", MAX_MESSAGE)
    except Exception:
        return f"{type_name(type(error))}: (its text cannot be made)"


def _kind(error, importing):
    if isinstance(error, ImportRefused):
        return "import_refused"
    if isinstance(error, Unsupported):
        return "recorder_unsupported"
    if isinstance(error, RuntimeError) and any(words in _text(error) for words in NO_DEVICE):
        return "recorder_unsupported"
    if isinstance(error, SystemExit):
        return "exited"
    if isinstance(error, (MemoryError, torch.OutOfMemoryError)):
        return "memory_limit"
    if isinstance(error, CompilationError) or _left_compiler(error):
        return "frontend_error"
    return "import_error" if importing else "host_exception"


def _left_compiler(error):
    """Whether the exception was raised while Triton turned a kernel into TTIR (its passes raise plain errors)."""
    if isinstance(error, OutOfResources):
        return False
    inside = os.path.join("triton", "compiler", "compiler.py")
    return any(f.filename.endswith(inside) and f.name == "compile" for f in traceback.extract_tb(error.__traceback__))


def _frames(error, places):
    """(file below its folder, frame) of the candidate's frames, outermost first."""
    named = ((places.inside(f.filename), f) for f in traceback.extract_tb(error.__traceback__))
    return [(name, f) for name, f in named if name is not None]


def place(error, places):
    """The innermost line of the candidate that the exception passed."""
    if isinstance(error, SyntaxError) and (name := places.inside(error.filename or "")) is not None:
        return name, error.lineno or 0
    frames = _frames(error, places)
    return (frames[-1][0], frames[-1][1].lineno) if frames else ("", 0)


def trace(error, places):
    """Short traceback: the candidate's frames, and the innermost one whoever owns it."""
    lines = [clean_text(f"{name}:{f.lineno} in {f.name}: {(f.line or '').strip()}", 200)
             for name, f in _frames(error, places)]
    everything = traceback.extract_tb(error.__traceback__)
    if everything and places.inside(everything[-1].filename) is None:
        last = everything[-1]
        lines.append(f"{os.path.basename(last.filename)}:{last.lineno} in {last.name}")
    return lines[-MAX_TRACE:]


def kernel_line(error, places):
    """File and line of the kernel's statement that the front end refused: found by the kernel's text."""
    source, node = getattr(error, "src", None), getattr(error, "node", None)
    if not source or node is None or not hasattr(node, "lineno"):
        return None
    body = [text.strip() for text in source.splitlines()]
    for path in _sources(places):
        try:
            with open(path, encoding="utf-8") as file:
                lines = [text.strip() for text in file.read().splitlines()]
        except (OSError, UnicodeDecodeError):
            continue
        for start, text in enumerate(lines):
            if text == body[0] and lines[start:start + len(body)] == body:
                return places.inside(path), start + node.lineno
    return None


def _sources(places):
    """Paths of the candidate's files, imported ones first: a library may hold the same kernel twice."""
    for module in list(sys.modules.values()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.endswith(".py") and places.inside(path) is not None:
            yield path
    for root in places.folders:
        for folder, _, names in os.walk(root):
            yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))
