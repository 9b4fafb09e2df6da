#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A shipped program or extension needs the C library alone: no libstdc++, no third-party shared object.

usage: tools/check_portable.py [--also NAME]... FILE...

--also: the name of a library that may be needed besides, without its version: libcurl
"""
import argparse
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--also", action="append", default=[], metavar="NAME")
    parser.add_argument("paths", nargs="+", metavar="FILE")
    options = parser.parse_args()
    findings = [f"{path}: needs {name}; link it statically (cmake/KgbDependencies.cmake)"
                for path in options.paths for name in needed(path)
                if not ALLOWED.fullmatch(name) and name.split(".so")[0] not in options.also]
    besides = f" and {', '.join(options.also)}" if options.also else " alone"
    tree.report(findings, f"portable: {' '.join(options.paths)} need the C library{besides}")


if __name__ == "__main__":
    main()
