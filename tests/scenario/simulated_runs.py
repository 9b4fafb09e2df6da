# SPDX-License-Identifier: Apache-2.0
"""Runs that nobody ran: stores filled with outcomes that a test chooses, by the store's own schema."""
import json
import os
import pathlib
import sqlite3

HOME = pathlib.Path(os.environ.get("KGBENCH_HOME", pathlib.Path(__file__).parents[2]))
KINDS = {"wrong_value": "value_mismatch", "timeout": "deadline", "not_custom": "torch_compute",
         "compile_error": "frontend_error", "infra": "infra"}


def evaluation(op, verdict, speedup=None, chip="h200", message="off by 3"):
    """What the judge would have stored of a candidate."""
    timings = [] if speedup is None else [{"workload": "s0", "call": "same", "baseline_name": "torch", "why": "",
                                           "candidate": 1e-3, "baseline": 1e-3 * speedup, "ratio": speedup,
                                           "ratio_low": 0.98 * speedup, "ratio_high": 1.02 * speedup}]
    findings = [] if verdict == "pass" else [{"kind": KINDS[verdict], "gate": "correct", "message": message,
                                              "workload": "", "file": "", "line": 0, "details": {}}]
    return {"schema": 1, "op": op, "verdict": verdict, "reached": "fast", "chip": chip, "timings": timings,
            "findings": findings, "stage_ms": {"total": 500.0}}


def write_run(folder, outcomes, *, model="some-model", contestant="one-shot", chip="h200", tokens=None,
              dollars=None, schema=3, tolerance="model"):
    """`outcomes`: (operator, sample, verdict, speedup). `tokens`, `dollars`: of each sample's one call; None: no calls,
    "unknown": calls that told nothing."""
    folder.mkdir(parents=True)
    db = sqlite3.connect(folder / "run.sqlite")
    for step in range(1, schema + 1):
        db.executescript((HOME / f"src/store/migrations/{step:04}.sql").read_text())
    db.execute(f"PRAGMA user_version = {schema}")
    run = {"id": folder.name, "created": "2026-12-01T10:00:00Z", "finished": "2026-12-01T12:30:00Z",
           "status": "complete", "version": "0.1.0", "contestant": contestant, "suite": "ms", "chip": chip,
           "tiers": "smoke", "tolerance": tolerance, "targets": "", "seed": "5eed", "host": "{}"}
    if schema >= 3:
        run["model"] = model
    insert(db, "run", run)
    for number, (op, sample, verdict, speedup) in enumerate(outcomes, 1):
        insert(db, "item", {"id": number, "run": folder.name, "op": op, "sample": sample, "candidate": "x.py"})
        insert(db, "evaluation", {"item": number, "finished": "2026-12-01T11:00:00Z", "verdict": verdict,
                                  "gate": "fast", "no_kernel": 0, "source_hash": "", "total_ms": 500.0,
                                  "source": "x = 1", "json": json.dumps(evaluation(op, verdict, speedup, chip))})
        if tokens is not None:
            known = tokens != "unknown"
            insert(db, "model_call", {
                "item": number, "round": 0, "created": "2026-12-01T10:30:00Z", "model": model, "wire": "openai",
                "status": "ok", "message": "", "finish": "stop", "prompt_tokens": tokens if known else None,
                "completion_tokens": 0 if known else None, "dollars": dollars, "seconds": 2.0, "first_token_s": 0.5,
                "waited_s": 0.0, "tries": 1, "replayed": 0})
    db.commit()
    db.close()
    return folder


def insert(db, table, row):
    names = ", ".join(row)
    db.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", list(row.values()))
