# SPDX-License-Identifier: Apache-2.0
"""Triton's cache where nobody shares it, in an author or for one kernel: plain files in a folder, groups in memory."""

import contextlib
import os

from triton import knobs
from triton.runtime.cache import CacheManager

_groups = {}


class PrivateCache(CacheManager):
    """Triton's own manager guards against other processes with a temporary folder per file, which is half of a
    small kernel's compile time. Nobody shares this cache."""

    def __init__(self, key, override=False, dump=False):
        self._folder = os.path.join(knobs.cache.dir, key)

    def _path(self, filename):
        return os.path.join(self._folder, filename)

    def get_file(self, filename):
        path = self._path(filename)
        return path if os.path.exists(path) else None

    def put(self, data, filename, binary=True):
        os.makedirs(self._folder, exist_ok=True)
        path = self._path(filename)
        if filename.endswith(".source"):
            data = b""  # the module before its passes: printing it costs a tenth of the compile, and nobody reads it
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else str(data).encode())
        return path

    def get_group(self, filename):
        group = _groups.get(self._path(filename))
        return group if group and all(os.path.exists(p) for p in group.values()) else None

    def put_group(self, filename, group):
        _groups[self._path(filename)] = dict(group)


@contextlib.contextmanager
def private(folder):
    """Triton keeps what it compiles in this folder, and knows nothing of it afterwards."""
    before = knobs.cache.manager_class, knobs.cache.dir
    knobs.cache.manager_class, knobs.cache.dir = PrivateCache, folder
    try:
        yield
    finally:
        knobs.cache.manager_class, knobs.cache.dir = before
        _groups.clear()
