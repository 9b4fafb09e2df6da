# SPDX-License-Identifier: Apache-2.0
"""Runs survive being killed and interrupted: they end with exactly the evaluations of an undisturbed run."""
import csv
import io
import json
import os
import random
import re
import signal
import sqlite3
import subprocess
import time
import uuid

import pytest
from conftest import BINARY, FAST, VERDICTS, kgbench

KILLS = 20
ARGUMENTS = ["--suite", "demo", "-j", "2", *FAST]


def evaluations(folder):
    """{operator: (verdict, gate, workloads judged)}; the counts of rows are checked on the way."""
    with sqlite3.connect(folder / "run.sqlite") as store:
        rows = store.execute("SELECT i.op, e.verdict, e.gate, (SELECT count(*) FROM workload w WHERE w.item = i.id) "
                             "FROM item i JOIN evaluation e ON e.item = i.id ORDER BY i.op").fetchall()
        assert len(rows) == store.execute("SELECT count(*) FROM item").fetchone()[0]
    assert len({row[0] for row in rows}) == len(rows)
    return {row[0]: row[1:] for row in rows}


def holds_a_run(folder):
    if not (folder / "run.sqlite").exists():
        return False
    try:
        with sqlite3.connect(folder / "run.sqlite") as store:
            return store.execute("SELECT count(*) FROM run").fetchone()[0] > 0
    except sqlite3.OperationalError:  # killed before the tables were there
        return False


def begin_or_resume(folder, candidates):
    if holds_a_run(folder):
        return ["run", "--resume", folder, "-j", "2", "--no-time"]
    return ["run", "--contestant", f"dir:{candidates}", "--out", folder, *ARGUMENTS]


def processes_with(mark):
    """Pids of the processes whose environment holds the mark."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if mark.encode() in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    from conftest import QUICK, expert
    root = tmp_path_factory.mktemp("undisturbed")
    for name, text in QUICK.items():
        file = root / "candidates" / (name + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text or expert(name.replace("/", "::")).read_text())
    done = kgbench("run", "--contestant", f"dir:{root / 'candidates'}", "--out", root / "run", *ARGUMENTS)
    return done, root / "run"


def test_a_run_judges_every_candidate_and_says_what_is_missing(undisturbed):
    done, folder = undisturbed
    assert done.code == 0, done.err
    assert {op: row[0] for op, row in evaluations(folder).items()} == VERDICTS
    assert "no candidate for aten::softmax" in done.err
    assert "Judged 8 in" in done.out


def test_a_run_killed_at_random_points_ends_as_an_undisturbed_one(undisturbed, candidates, tmp_path):
    folder, draw = tmp_path / "run", random.Random(2)
    mark = f"KGB_TEST_MARK={uuid.uuid4()}"
    environment = {**os.environ, **dict([mark.split("=")])}
    for _ in range(KILLS):
        judge = subprocess.Popen([BINARY, *map(str, begin_or_resume(folder, candidates))], env=environment,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draw.uniform(0.2, 6))
        judge.kill()
        judge.wait()
    done = kgbench(*begin_or_resume(folder, candidates), env=environment)
    assert done.code == 0, done.err
    assert evaluations(folder) == evaluations(undisturbed[1])
    for _ in range(100):
        if not processes_with(mark):
            break
        time.sleep(0.1)
    assert processes_with(mark) == []


def test_an_interrupted_run_finishes_cleanly_and_resumes(undisturbed, candidates, tmp_path):
    folder = tmp_path / "run"
    judge = subprocess.Popen([BINARY, *map(str, begin_or_resume(folder, candidates))], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    for line in judge.stderr:
        if re.match(r"\s+1/8 ", line):
            break
    judge.send_signal(signal.SIGINT)
    out, _ = judge.communicate(timeout=400)
    if judge.returncode != 0:  # nothing was left to stop when it came too late
        assert judge.returncode == 3
        assert f"Stopped. Go on: kgbench run --resume {folder}" in out
    again = kgbench("run", "--resume", folder, "-j", "2", "--no-time")
    assert again.code == 0, again.err
    assert evaluations(folder) == evaluations(undisturbed[1])


def test_resuming_a_complete_run_judges_nothing(undisturbed):
    before = evaluations(undisturbed[1])
    done = kgbench("run", "--resume", undisturbed[1])
    assert done.code == 0
    assert "8 of 8 are judged already" in done.err
    assert "Judged 0 in" in done.out
    assert evaluations(undisturbed[1]) == before


def test_a_second_run_into_the_same_folder_is_refused(undisturbed, candidates):
    folder = undisturbed[1]
    done = kgbench("run", "--contestant", f"dir:{candidates}", "--out", folder, *ARGUMENTS)
    assert done.code == 2
    assert f"error: {folder} holds a run already. Go on with --resume {folder}, or name another --out" in done.err


def test_a_run_that_was_killed_before_it_was_written_can_be_begun_again(candidates, tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    sqlite3.connect(folder / "run.sqlite").close()
    done = kgbench("run", "--contestant", f"dir:{candidates}", "--out", folder, *ARGUMENTS)
    assert done.code == 0, done.err
    assert len(evaluations(folder)) == 8


def test_the_json_report_holds_every_evaluation(undisturbed):
    done = kgbench("report", undisturbed[1], "--format", "json")
    assert done.code == 0
    text = json.dumps(json.loads(done.out))
    for op, verdict in VERDICTS.items():
        assert op in text and verdict in text


def test_the_csv_report_has_a_row_for_each_candidate(undisturbed):
    done = kgbench("report", undisturbed[1], "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert len(rows) == len(VERDICTS)
    assert all(len(row) == len(rows[0]) and None not in row for row in rows)


def test_the_page_stands_alone(undisturbed):
    page = (undisturbed[1] / "report.html").read_text()
    assert "rms_norm" in page
    assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|url\(\s*["']?(https?:)?//|@import""", page)
    assert kgbench("report", undisturbed[1], "--format", "html").out.startswith("<!")


def test_the_table_names_every_operator_with_its_verdict(undisturbed):
    table = kgbench("report", undisturbed[1]).out
    for op, verdict in VERDICTS.items():
        assert any(op.split("::")[1] in line and verdict in line for line in table.splitlines()), table


def test_an_unknown_format_is_refused_with_the_known_ones(undisturbed):
    done = kgbench("report", undisturbed[1], "--format", "htm")
    assert (done.code, done.err) == (
        2, "error: no format 'htm' (did you mean 'html'?). Formats: table, json, csv, statistics, html, junit\n")
