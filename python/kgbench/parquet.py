# SPDX-License-Identifier: Apache-2.0
"""Writes JSON lines as a Parquet table: python parquet.py IN.jsonl OUT.parquet

Nested values (the evaluation, the attempts) stay JSON text: their shape differs from row to row.
"""
import json
import sys


def main(source, target):
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        sys.exit("parquet needs pyarrow, which this Python lacks: pip install pyarrow, or use --format jsonl")
    rows = []
    with open(source, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            rows.append({key: json.dumps(value) if isinstance(value, (dict, list)) else value for key, value in row.items()})
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), target)


if __name__ == "__main__":
    main(*sys.argv[1:])
