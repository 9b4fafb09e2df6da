# SPDX-License-Identifier: Apache-2.0
"""report and compare over simulated runs: their figures are those that scipy and plain counting give."""
import csv
import functools
import io
import json
import math
import os
import pathlib
import random
import shutil
import sqlite3
import statistics

import pytest
from conftest import HOME, kgbench
from scipy import stats
from simulated_runs import write_run

FOLDERS = {"aten": HOME / "catalogue/operators/aten", "vllm": HOME / "catalogue/operators/vllm"}
OPERATORS = [f"{source}::{path.name}" for source, folder in FOLDERS.items()
             for path in sorted(folder.iterdir())[:60]]


def drawn(seed, chance, speed, samples=1):
    """Outcomes of a contestant: passes with this chance, faster or slower around this speed."""
    draw = random.Random(seed)
    failures = ["wrong_value", "timeout", "not_custom", "compile_error"]
    for op in OPERATORS:
        for sample in range(samples):
            if draw.random() < chance:
                yield op, sample, "pass", speed * math.exp(draw.gauss(0, 0.3))
            else:
                yield op, sample, draw.choice(failures), None


@functools.cache
def figures(folder):
    done = kgbench("report", folder, "--format", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)["statistics"]


@functools.cache
def compared(*folders):
    done = kgbench("compare", *folders, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)["statistics"]


@pytest.fixture(scope="module")
def contestants(tmp_path_factory):
    """Three contestants, the second weaker and the third much weaker and cheaper."""
    folder = tmp_path_factory.mktemp("runs")
    rows = {"opus": list(drawn(1, 0.87, 0.8)), "glm": list(drawn(2, 0.67, 0.8)), "mini": list(drawn(3, 0.4, 0.6))}
    for (name, outcomes), tokens in zip(rows.items(), (900_000, 1_000_000, 50_000)):
        write_run(folder / name, outcomes, model=name, tokens=tokens, dollars=0.25)
    return folder, rows


def passed_of(rows):
    return {op: speed for op, _, verdict, speed in rows if verdict == "pass"}


def test_accuracy_has_the_interval_of_wilson(contestants):
    folder, rows = contestants
    told = figures(folder / "opus")["accuracy"]
    for name, chosen in {"all": "", "source aten": "aten::", "source vllm": "vllm::"}.items():
        judged = [verdict for op, _, verdict, _ in rows["opus"] if op.startswith(chosen)]
        expected = stats.binomtest(judged.count("pass"), len(judged)).proportion_ci(method="wilson")
        assert told[name]["count"] == judged.count("pass")
        assert told[name]["of"] == len(judged)
        assert (told[name]["low"], told[name]["high"]) == pytest.approx((expected.low, expected.high))
    families = [name for name in told if name.startswith("family ")]
    assert len(families) > 10
    assert sum(told[name]["of"] for name in families) == len(OPERATORS)


def test_speedups_are_geometric_means_and_shares_of_all_operators(contestants):
    folder, rows = contestants
    told = figures(folder / "opus")["speed"]
    speeds = list(passed_of(rows["opus"]).values())
    assert told["geometric mean, passed"]["value"] == pytest.approx(statistics.geometric_mean(speeds))
    with_failures = speeds + [1.0] * (len(OPERATORS) - len(speeds))
    assert told["geometric mean, failures as 1.0"]["value"] == pytest.approx(statistics.geometric_mean(with_failures))
    for p in (0.8, 1.0, 1.5, 2.0):
        fast = sum(speed > p for speed in speeds)
        assert told[f"fast_{p:.1f}"]["count"] == fast
        assert told[f"fast_{p:.1f}"]["value"] == pytest.approx(fast / len(OPERATORS))
    low, high = told["geometric mean, passed"]["low"], told["geometric mean, passed"]["high"]
    logs = [math.log(speed) for speed in speeds]
    half = 1.96 * statistics.stdev(logs) / math.sqrt(len(logs))
    assert math.log(low) == pytest.approx(statistics.mean(logs) - half, abs=0.3 * half)
    assert math.log(high) == pytest.approx(statistics.mean(logs) + half, abs=0.3 * half)


def test_cost_is_told_by_both_definitions(contestants):
    folder, rows = contestants
    told = figures(folder / "opus")["cost"]
    solved = len(passed_of(rows["opus"]))
    assert told["tokens"]["value"] == 900_000 * len(OPERATORS)
    assert told["tokens per success (published)"]["value"] == pytest.approx(900_000 * len(OPERATORS) / solved)
    assert told["tokens per success, its own"]["value"] == pytest.approx(900_000)
    assert told["dollars per success"]["value"] == pytest.approx(0.25 * len(OPERATORS) / solved)
    assert told["from start to end"]["value"] == 2.5 * 3600
    assert told["time of the judge"]["value"] == pytest.approx(0.5 * len(OPERATORS))


def test_unknown_tokens_are_called_unknown_and_not_zero(tmp_path):
    run = write_run(tmp_path / "run", [("aten::add", 0, "pass", None)], tokens="unknown")
    told = figures(run)["cost"]
    assert told["tokens"]["value"] is None
    assert told["tokens"]["note"] == "no call told its tokens"
    table = kgbench("report", run).out
    assert "tokens per success (published)  unknown" in table
    assert "dollars per success             unknown" in table


def test_failures_are_counted_by_class(contestants):
    folder, rows = contestants
    told = figures(folder / "glm")["failures"]
    names = {"wrong_value": "wrong value: beyond the bound", "timeout": "timeout",
             "not_custom": "fallback to torch or a library", "compile_error": "does not compile"}
    for verdict, name in names.items():
        assert told[name]["count"] == sum(row[2] == verdict for row in rows["glm"])


def test_what_the_host_failed_at_is_left_out_and_said(tmp_path):
    run = write_run(tmp_path / "run", [("aten::add", 0, "pass", None), ("aten::mul", 0, "infra", None)])
    told = figures(run)["accuracy"]["all"]
    assert (told["count"], told["of"]) == (1, 1)
    assert told["note"] == "without 1 that the judge or the host failed at"


def test_several_samples_give_pass_at_k_without_bias_and_the_published_union(tmp_path):
    rows = list(drawn(5, 0.3, 1.0, samples=5))
    told = figures(write_run(tmp_path / "run", rows))["pass@k"]
    counts = {op: sum(row[0] == op and row[2] == "pass" for row in rows) for op in OPERATORS}
    for k in (1, 2, 3, 5):
        expected = statistics.mean(1 - stats.hypergeom.pmf(0, 5, c, k) for c in counts.values())
        assert told[f"pass@{k}"]["value"] == pytest.approx(expected)
        assert told[f"pass@{k}"]["low"] < expected < told[f"pass@{k}"]["high"]
    first_two = {row[0] for row in rows if row[1] < 2 and row[2] == "pass"}
    assert told["union@2"]["value"] == pytest.approx(len(first_two) / len(OPERATORS))


def test_the_table_of_experts_stays_as_short_as_it_was(tmp_path):
    run = write_run(tmp_path / "run", [("aten::add", 0, "pass", None), ("aten::mul", 0, "wrong_value", None)],
                    contestant="experts", model="")
    table = kgbench("report", run).out
    assert "accuracy" not in table
    assert len(table.splitlines()) == 6  # the run, the columns, two operators, a reason, the counts


def test_figures_come_as_csv_and_on_the_page(contestants):
    folder, _ = contestants
    rows = list(csv.DictReader(io.StringIO(kgbench("report", folder / "opus", "--format", "statistics").out)))
    told = figures(folder / "opus")
    assert len(rows) == sum(len(section) for section in told.values())
    for row in rows:
        assert float(row["value"]) == pytest.approx(told[row["section"]][row["name"]]["value"])
    page = kgbench("report", folder / "opus", "--format", "html").out
    assert "<h2>Statistics</h2>" in page
    assert "tokens per success (published)" in page


def test_two_contestants_are_tested_in_pairs(contestants):
    folder, rows = contestants
    told = compared(folder / "opus", folder / "glm")
    [pair] = told["pairs"]
    opus, glm = passed_of(rows["opus"]), passed_of(rows["glm"])
    only_opus, only_glm = len(opus.keys() - glm.keys()), len(glm.keys() - opus.keys())
    assert (pair["only_first"], pair["only_second"]) == (only_opus, only_glm)
    assert pair["p"] == pytest.approx(stats.binomtest(only_opus, only_opus + only_glm).pvalue)
    assert pair["difference"]["value"] == pytest.approx((only_opus - only_glm) / len(OPERATORS))
    assert pair["difference"]["low"] < pair["difference"]["value"] < pair["difference"]["high"]
    both = sorted(opus.keys() & glm.keys())
    ratios = [math.log(opus[op] / glm[op]) for op in both]
    assert pair["matched"] == len(both)
    assert pair["speed_ratio"]["value"] == pytest.approx(math.exp(statistics.mean(ratios)))
    assert pair["speed_p"] == pytest.approx(stats.wilcoxon(ratios, method="exact").pvalue)
    assert pair["first_speedup"]["value"] == pytest.approx(statistics.geometric_mean(opus[op] for op in both))


def test_the_comparison_of_two_is_a_table_under_what_changed(contestants):
    folder, _ = contestants
    lines = kgbench("compare", folder / "opus", folder / "glm").out.splitlines()
    assert any(line.endswith(f"of {len(OPERATORS)} operators") for line in lines)
    head = lines.index(next(line for line in lines if line.split() == ["opus", "glm", "difference"]))
    assert lines[head + 1].startswith(f"accuracy, all {len(OPERATORS)}")
    assert "McNemar" in lines[head + 1] and "only-opus" in lines[head + 1]
    assert lines[head + 2].startswith("speedup, matched ")
    assert lines[head + 3].startswith("tokens per success")
    assert lines[-1].startswith("weakest family: ")


def test_more_contestants_are_corrected_for_the_number_of_pairs(contestants):
    folder, rows = contestants
    told = compared(folder / "opus", folder / "glm", folder / "mini")
    p = [pair["p"] for pair in told["pairs"]]
    assert len(p) == 3
    order = sorted(range(3), key=p.__getitem__)
    steps = [min(1, (3 - i) * p[order[i]]) for i in range(3)]
    for i in range(3):
        assert told["pairs"][order[i]]["p_holm"] == pytest.approx(max(steps[:i + 1]))
    [ranks] = told["ranks_by_source"]
    accuracies = [[statistics.mean(row[2] == "pass" for row in rows[name] if row[0].startswith(source))
                   for name in ("opus", "glm", "mini")] for source in ("aten", "vllm")]
    assert ranks["spearman"] == pytest.approx(stats.spearmanr(*accuracies).statistic)
    assert ranks["kendall"] == pytest.approx(stats.kendalltau(*accuracies).statistic)
    assert told["best_for_their_cost"] == ["opus", "mini"]  # glm is both worse and dearer than opus
    table = kgbench("compare", folder / "opus", folder / "glm", folder / "mini").out
    assert "accuracy, row - column" in table
    assert "corrected for all pairs (Holm)" in table


def test_chips_are_compared_over_the_operators_that_they_share(tmp_path):
    chances = {"a": 0.9, "b": 0.6, "c": 0.3}
    runs = [write_run(tmp_path / f"{name}-{chip}", list(drawn(hash_of(name, chip), chance, 1.0)), model=name, chip=chip)
            for name, chance in chances.items() for chip in ("h200", "mi300")]
    [ranks] = compared(*runs)["ranks_by_chip"]
    assert (ranks["first"], ranks["second"], ranks["contestants"]) == ("h200", "mi300", 3)
    assert ranks["spearman"] == pytest.approx(1)
    assert ranks["p"] == pytest.approx(2 / 6)


def test_runs_on_several_chips_are_joined_and_told_chip_by_chip(tmp_path):
    rows = {chip: list(drawn(hash_of(chip), 0.6, 1.0, samples=2)) for chip in ("cpu", "h200")}
    alone = {chip: write_run(tmp_path / chip, outcomes, chip=chip, tokens=1000) for chip, outcomes in rows.items()}
    all_of_them = tmp_path / "all"
    done = kgbench("merge", *alone.values(), "--out", all_of_them)
    assert done.code == 0, done.err
    assert f"{4 * len(OPERATORS)} items of 2 runs on 2 chips" in done.out
    runs = json.loads(kgbench("report", all_of_them, "--format", "json").out)["runs"]
    assert {run["run"]["chip"]: run["statistics"] for run in runs} == {chip: figures(run) for chip, run in alone.items()}
    table = kgbench("report", all_of_them).out
    assert table == kgbench("report", alone["cpu"]).out + "\n" + kgbench("report", alone["h200"]).out
    refused = kgbench("report", all_of_them, "--format", "csv")
    assert refused.code == 2 and "--chip: cpu, h200" in refused.err and len(refused.err.splitlines()) == 1
    one = kgbench("report", all_of_them, "--format", "csv", "--chip", "h200").out
    assert one == kgbench("report", alone["h200"], "--format", "csv").out
    assert "It was judged on: cpu, h200" in kgbench("report", all_of_them, "--chip", "h20").err
    [pair], [of_two] = compared(all_of_them)["pairs"], compared(*alone.values())["pairs"]
    assert (pair["first"], pair["second"]) == ("all@cpu", "all@h200")
    assert pair == of_two | {"first": pair["first"], "second": pair["second"]}
    lines = [json.loads(line) for line in kgbench("export", all_of_them).out.splitlines()]
    assert sorted((line["chip"], line["op"], line["sample"], line["verdict"]) for line in lines) == sorted(
        (chip, op, sample, verdict) for chip, outcomes in rows.items() for op, sample, verdict, _ in outcomes)
    assert kgbench("export", all_of_them, "--best", tmp_path / "best").code == 0
    for chip, run in alone.items():
        assert kgbench("export", run, "--best", tmp_path / f"best-{chip}").code == 0
        kernels = [json.loads((folder / "index.json").read_text())["kernels"]
                   for folder in (tmp_path / "best/chips" / chip, tmp_path / f"best-{chip}")]
        assert kernels[0] == kernels[1] and kernels[0]


def hash_of(*words):
    return sum(map(ord, "".join(words)))


def test_several_samples_are_tested_by_operator(tmp_path):
    runs = [write_run(tmp_path / name, list(drawn(seed, chance, 1.0, samples=4)), model=name)
            for name, seed, chance in (("a", 1, 0.5), ("b", 2, 0.4))]
    [pair] = compared(*runs)["pairs"]
    assert pair["test"] == "signed_rank"
    assert pair["operators"] == len(OPERATORS)


def test_a_published_table_holds_both_kinds_of_rows_and_what_differs(contestants):
    folder, rows = contestants
    done = kgbench("report", "--table", "a100", folder / "opus", "--format", "json")
    assert done.code == 0, done.err
    table = json.loads(done.out)
    by_method = {row["method"]: row for row in table["rows"]}
    assert by_method["Claude Code Opus"] == {"method": "Claude Code Opus", "kind": "published",
                                             "cells": {"all": {"accuracy": 87, "speedup": 0.78},
                                                       "aten": {"accuracy": 92, "speedup": 0.86},
                                                       "vllm": {"accuracy": 68, "speedup": 1.02},
                                                       "cublas": {"accuracy": 94, "speedup": 0.51}}}
    ours = by_method["opus"]
    solved = passed_of(rows["opus"])
    assert ours["kind"] == "ours"
    assert ours["cells"]["all"]["accuracy"] == pytest.approx(100 * len(solved) / len(OPERATORS))
    assert ours["cells"]["all"]["speedup"] == pytest.approx(statistics.geometric_mean(solved.values()))
    assert ours["cells"]["cublas"]["of"] == 0
    assert {"tolerance", "timing", "chip"} <= {difference["what"] for difference in table["differences"]}


def test_a_difference_that_does_not_hold_is_not_listed(tmp_path):
    run = write_run(tmp_path / "run", [("aten::add", 0, "pass", 1.0)], tolerance="published")
    table = json.loads(kgbench("report", "--table", "a100", run, "--format", "json").out)
    assert "tolerance" not in {difference["what"] for difference in table["differences"]}


def test_the_platform_table_has_a_column_for_each_chip_of_ours(tmp_path):
    runs = [write_run(tmp_path / chip, [("aten::add", 0, "pass", 1.5), ("vllm::rms_norm", 0, "timeout", None)],
                      chip=chip) for chip in ("h200", "cpu")]
    table = json.loads(kgbench("report", "--table", "platforms", *runs, "--format", "json").out)
    assert [column["key"] for column in table["columns"]] == ["NVIDIA", "A", "B", "C", "D", "E", "h200", "cpu"]
    [ours] = [row for row in table["rows"] if row["kind"] == "ours"]
    assert ours["cells"]["cpu"]["accuracy"] == 100
    assert ours["cells"]["cpu"]["of"] == 1  # ATen alone


def test_the_cost_table_counts_as_published(contestants):
    folder, rows = contestants
    text = kgbench("report", "--table", "cost", folder / "opus", folder / "mini").out
    [line] = [line for line in text.splitlines() if line.split()[:2] == ["ours", "opus"]]
    solved = len(passed_of(rows["opus"]))
    assert float(line.split()[2]) == pytest.approx(0.9 * len(OPERATORS), rel=1e-3)
    assert float(line.split()[3]) == pytest.approx(0.9 * len(OPERATORS) / solved, rel=1e-3)
    assert float(line.split()[4]) == 2.5
    assert "published  Claude Code Opus" in text


def test_mistakes_are_answered_with_what_there_is(contestants, tmp_path):
    folder, _ = contestants
    assert "Tables: a100, cost, platforms" in kgbench("report", "--table", "a10", folder / "opus").err
    assert kgbench("report").code == 2
    assert "kgbench compare" in kgbench("report", folder / "opus", folder / "glm").err
    assert kgbench("compare", folder / "opus").code == 2
    done = kgbench("compare", *(folder / name for name in ("opus", "glm", "mini")), "--fail-on-regression")
    assert done.code == 2
    assert kgbench("compare", folder / "opus", tmp_path).code == 2


@pytest.mark.parametrize("schema", [1, 2])
def test_runs_of_earlier_versions_are_still_reported(tmp_path, schema):
    run = write_run(tmp_path / "run", [("aten::add", 0, "pass", None)], schema=schema)
    before = (run / "run.sqlite").read_bytes()
    assert figures(run)["accuracy"]["all"]["count"] == 1
    assert kgbench("compare", run, run).code == 0
    assert (run / "run.sqlite").read_bytes() == before
    assert [path.name for path in run.iterdir()] == ["run.sqlite"]


def test_a_run_that_may_only_be_read_is_reported(contestants, tmp_path):
    run = tmp_path / "opus"
    shutil.copytree(contestants[0] / "opus", run)
    (run / "run.sqlite").chmod(0o444)
    run.chmod(0o555)
    done = kgbench("report", run)
    run.chmod(0o755)
    assert done.code == 0, done.err


def test_a_database_of_somebody_else_is_refused_and_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / "photos.sqlite") as db:
        db.execute("CREATE TABLE photos (id)")
    db.close()
    before = (tmp_path / "photos.sqlite").read_bytes()
    done = kgbench("report", tmp_path / "photos.sqlite")
    assert done.code == 2
    assert "no run store" in done.err
    assert (tmp_path / "photos.sqlite").read_bytes() == before


@pytest.mark.skipif(not pathlib.Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("command", [["list"], ["report", "opus"], ["compare", "opus", "glm"], ["new", "aten::add"],
                                     ["show", "aten::add"], ["--help"]])
def test_output_that_cannot_be_written_is_an_error(contestants, command):
    with open("/dev/full", "w") as full:
        done = kgbench(*command, cwd=contestants[0], stdout_to=full)
    assert done.code == 3
    assert done.err.startswith("error: standard output cannot be written")
    assert len(done.err.splitlines()) == 1


def test_a_reader_that_went_away_is_no_error(contestants):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        done = kgbench("report", "opus", cwd=contestants[0], stdout_to=pipe)
    assert (done.code, done.err) == (0, "")
