# SPDX-License-Identifier: Apache-2.0
"""Frames between processes: a JSON text and a blob. docs/contracts/wire.md."""

import json
import os
import struct

MAGIC = b"KGF1"
_HEADER = struct.Struct("<4sIQ")


def _read_exact(fd, size):
    parts = []
    while size:
        part = os.read(fd, min(size, 1 << 24))
        if not part:
            raise EOFError("the peer closed the channel")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def read(fd):
    """Returns (header dict, blob bytes); EOFError at the end of the stream."""
    magic, json_bytes, blob_bytes = _HEADER.unpack(_read_exact(fd, _HEADER.size))
    if magic != MAGIC:
        raise ValueError("the bytes are no frame")
    header = json.loads(_read_exact(fd, json_bytes))
    return header, _read_exact(fd, blob_bytes)


def write(fd, header, *blobs):
    """Writes one frame whose blob is the concatenation of `blobs` (bytes-like)."""
    text = json.dumps(header, separators=(",", ":")).encode()
    views = [memoryview(b).cast("B") for b in blobs]
    _write_exact(fd, memoryview(_HEADER.pack(MAGIC, len(text), sum(len(v) for v in views)) + text))
    for view in views:
        _write_exact(fd, view)


def _write_exact(fd, view):
    while view:
        view = view[os.write(fd, view[: 1 << 24]):]
