# SPDX-License-Identifier: Apache-2.0
"""python -m kgbench.mutate FILE [--count N] [--seed S]: mutants as JSON lines."""
import argparse
import dataclasses
import json
import sys

from .mutants import mutants_of


def main(argv):
    parser = argparse.ArgumentParser(prog="kgbench.mutate")
    parser.add_argument("file")
    parser.add_argument("--count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    try:
        with open(options.file, encoding="utf-8") as file:
            source = file.read()
        for mutant in mutants_of(source, options.count, options.seed):
            print(json.dumps(dataclasses.asdict(mutant)))
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        sys.exit(f"cannot mutate {options.file}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
