# SPDX-License-Identifier: Apache-2.0
"""Exceptions of a candidate as findings: kind, message, and the candidate's file and line."""

import os
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
    file, line = place(error, recorder.root)
    details = {"type": type_name(type(error)), "traceback": trace(error, recorder.root)}
    message = _text(error)
    if kind == "frontend_error":
        root = error
        while isinstance(root.__cause__, CompilationError):
            root = root.__cause__
        found = kernel_line(root, recorder.root)
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


def _frames(error, root):
    return [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(root)]


def place(error, root):
    """The innermost line of the candidate that the exception passed."""
    frames = _frames(error, root)
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(root):
        return error.filename[len(root):], error.lineno or 0
    return (frames[-1].filename[len(root):], frames[-1].lineno) if frames else ("", 0)


def trace(error, root):
    """Short traceback: the candidate's frames, and the innermost one whoever owns it."""
    lines = [clean_text(f"{f.filename[len(root):]}:{f.lineno} in {f.name}: {(f.line or '').strip()}", 200)
             for f in _frames(error, root)]
    everything = traceback.extract_tb(error.__traceback__)
    if everything and not everything[-1].filename.startswith(root):
        last = everything[-1]
        lines.append(f"{os.path.basename(last.filename)}:{last.lineno} in {last.name}")
    return lines[-MAX_TRACE:]


def kernel_line(error, root):
    """File and line of the kernel's statement that the front end refused: found by the kernel's text."""
    source, node = getattr(error, "src", None), getattr(error, "node", None)
    if not source or node is None or not hasattr(node, "lineno"):
        return None
    first = source.splitlines()[0].strip()
    for folder, _, names in os.walk(root):
        for name in sorted(n for n in names if n.endswith(".py")):
            path = os.path.join(folder, name)
            try:
                with open(path, encoding="utf-8") as file:
                    lines = [text.strip() for text in file.read().splitlines()]
            except (OSError, UnicodeDecodeError):
                continue
            body = [text.strip() for text in source.splitlines()]
            for start, text in enumerate(lines):
                if text == first and lines[start:start + len(body)] == body:
                    return path[len(root):], start + node.lineno
    return None
