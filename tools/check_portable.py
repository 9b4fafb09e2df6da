#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A shipped program or extension needs the C library alone: no libstdc++, no third-party shared object.

usage: tools/check_portable.py FILE...
"""
import re
import subprocess
import sys

import tree

ALLOWED = re.compile(r"(libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux-[\w-]+\.so\.\d+")


def needed(path):
    """Names of the shared objects that the file asks the loader for."""
    done = subprocess.run(["readelf", "-d", path], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"error: {path}: readelf could not read it: {done.stderr.strip()}")
    return re.findall(r"\(NEEDED\)\s+Shared library: \[([^\]]+)\]", done.stdout)


def main():
    paths = sys.argv[1:]
    if not paths:
        sys.exit(__doc__)
    findings = [f"{path}: needs {name}; link it statically (cmake/KgbDependencies.cmake)"
                for path in paths for name in needed(path) if not ALLOWED.fullmatch(name)]
    tree.report(findings, f"portable: {' '.join(paths)} need the C library alone")


if __name__ == "__main__":
    main()
