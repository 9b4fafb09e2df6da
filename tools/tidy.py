# SPDX-License-Identifier: Apache-2.0
"""clang-tidy over C++ sources; a file found clean is not looked at again until what the compiler would see changes.

    python3 tools/tidy.py --clang-tidy BIN --build BUILD --memory DIR [FILE ...]     no FILE: every source that is built

A clean file leaves an empty stamp in DIR named by the hash of its preprocessed text, comments included (they hold
NOLINT), with the checks and the version of clang-tidy. Copies of the tree elsewhere share the stamps. Exit status 1
if anything was found, 2 for a wrong call.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILT = ("src/", "apps/", "python/")
QUIET = ["--extra-arg=-Wno-unknown-warning-option", "--extra-arg=-Wno-deprecated-declarations"]  # GCC 12's own header


def preprocessed(command):
    """What the compiler sees of the file, comments included and without line markers, which name the tree's place."""
    words, kept = iter(shlex.split(command)), []
    for word in words:
        if word == "-o":
            next(words)
        elif word != "-c":
            kept.append(word)
    kept = kept[1:] if os.path.basename(kept[0]) == "ccache" else kept
    return subprocess.run([*kept, "-E", "-P", "-C"], capture_output=True, check=True).stdout


def check(entry, tidy, build, rules, memory):
    """Output of clang-tidy on the file, empty when it is clean, and whether it had to be run."""
    # The file's name counts: the rules for headers go by path.
    text = preprocessed(entry["command"])
    stamp = memory / hashlib.sha256(rules + os.path.relpath(entry["file"], ROOT).encode() + text).hexdigest()
    if stamp.exists():
        return "", False
    found = subprocess.run([tidy, "--quiet", "-p", build, *QUIET, entry["file"]], capture_output=True, text=True)
    if found.returncode == 0:
        stamp.touch()
        return "", True
    return found.stdout + found.stderr, True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--clang-tidy", required=True)
    parser.add_argument("--build", required=True, help="folder that holds compile_commands.json")
    parser.add_argument("--memory", required=True, type=pathlib.Path, help="folder of the stamps of clean files")
    parser.add_argument("files", nargs="*")
    args = parser.parse_args()
    args.memory.mkdir(parents=True, exist_ok=True)
    wanted = {str((ROOT / name).resolve()) for name in args.files}
    # Only files that the build knows: clang-tidy would guess the flags of others.
    entries = [e for e in json.loads((pathlib.Path(args.build) / "compile_commands.json").read_text())
               if os.path.relpath(e["file"], ROOT).startswith(BUILT) and (not args.files or e["file"] in wanted)]
    rules = (ROOT / ".clang-tidy").read_bytes() + subprocess.run(
        [args.clang_tidy, "--version"], capture_output=True, check=True).stdout
    os.chdir(ROOT)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(check, e, args.clang_tidy, args.build, rules, args.memory) for e in entries]
        results = [job.result() for job in jobs]
    for text, _ in results:
        sys.stdout.write(text)
    bad = sum(bool(text) for text, _ in results)
    looked = sum(run for _, run in results)
    print(f"clang-tidy: {len(results)} files, {len(results) - looked} unchanged since they were clean, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
