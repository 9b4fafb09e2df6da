# SPDX-License-Identifier: Apache-2.0
"""python -m kgbench.tune FILE: the space as JSON; with --point '{"axis": "value"}': the text of that point.

The file is read and rewritten, never run.
"""
import argparse
import json
import sys

from .source import Unreadable
from .space import rewritten, space_of


def described(axis):
    return {"id": axis.id, "kind": axis.kind, "line": axis.line, "what": axis.what, "seed": axis.seed,
            "values": axis.values, "ordered": axis.ordered}


def main(argv):
    parser = argparse.ArgumentParser(prog="kgbench.tune")
    parser.add_argument("file")
    parser.add_argument("--point", type=json.loads)
    options = parser.parse_args(argv)
    try:
        with open(options.file, encoding="utf-8", newline="") as file:
            text = file.read()
        if options.point is not None:
            sys.stdout.buffer.write(rewritten(text, options.point).encode())
        else:
            print(json.dumps({"axes": [described(axis) for axis in space_of(text)]}))
    except (OSError, UnicodeDecodeError, Unreadable) as error:
        sys.exit(f"cannot tune {options.file}: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
