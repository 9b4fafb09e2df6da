#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone. A header that a .cpp includes first is proved where sources are compiled one by one
(preset dev, `make lint`); the rest is compiled here, syntax only. A file without `#pragma once` is a fragment, meant
to be included where its macros stand.

usage: tools/check_headers.py [--root DIR] [--compiler g++]
"""
import argparse
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import tree

INCLUDE_ROOTS = ("src", "apps/kgbench", "python", "python/ext")
FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.M)


def first_includes(root, files):
    """The texts of the includes that stand first in a .cpp."""
    found = (FIRST_INCLUDE.search((root / path).read_text()) for path in files if path.suffix == ".cpp")
    return {match.group(1) for match in found if match}


def proved_by_source(header, firsts):
    """Whether one of these includes names the header, as seen from one of the roots."""
    return any(header.relative_to(folder).as_posix() in firsts for folder in INCLUDE_ROOTS
               if header.is_relative_to(folder))


def compile_alone(root, compiler, header):
    """None, or what the compiler said."""
    flags = [f"-I{root / folder}" for folder in INCLUDE_ROOTS]
    if header.parts[0] == "python":
        config = subprocess.run(["/usr/bin/env", "python3", "-c", "import sysconfig; print(sysconfig.get_path('include'))"],
                                capture_output=True, text=True, check=True)
        flags += ["-isystem", config.stdout.strip(), "-DPy_LIMITED_API=0x030A0000"]
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", *flags, "-x", "c++", "-"]
    done = subprocess.run(command, input=f'#include "{root / header}"\n', text=True, capture_output=True)
    return None if done.returncode == 0 else f"{header}: does not compile alone:\n{done.stderr[:800]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--compiler", default="g++")
    args = parser.parse_args()
    files = list(tree.files(args.root))
    headers = [path for path in files
               if path.suffix == ".hpp" and path.parts[0] in {"src", "apps", "python"}
               and "#pragma once" in (args.root / path).read_text()]
    firsts = first_includes(args.root, files)
    alone = [header for header in headers if not proved_by_source(header, firsts)]
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        said = list(pool.map(lambda header: compile_alone(args.root, args.compiler, header), alone))
    tree.report([text for text in said if text],
                f"headers: {len(alone)} compiled alone, {len(headers) - len(alone)} come first in a source file")


if __name__ == "__main__":
    main()
