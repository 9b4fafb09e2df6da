# SPDX-License-Identifier: Apache-2.0
"""What the catalogue is measured by: the bounds' sensitivity, the mutation score under both tolerances, the numbers."""
import json
import re

from conftest import HOME, kgbench


def tolerance(*arguments):
    done = kgbench("tolerance", *arguments, "--tier", "smoke", "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_an_error_is_found_that_is_a_little_larger_than_the_headroom_leaves():
    report = tolerance("--op", "aten::silu,aten::bitwise_not,aten::bernoulli")
    rows = {(row["op"], row["dtype"]): row for row in report["rows"]}
    f32, f16 = rows["aten::silu", "f32"]["model"], rows["aten::silu", "f16"]["model"]
    assert 0 < f32["headroom"] < 1 and 0 < f16["headroom"] < 1
    assert 2**-24 < f32["caught"] < 2**-18 and 2**-13 < f16["caught"] < 2**-8
    assert f32["caught"] < rows["aten::silu", "f32"]["published"]["caught"]
    codes = rows["aten::bitwise_not", "i32"]
    assert codes["integral"] and codes["model"]["code_caught"] and codes["published"]["code_caught"]
    assert [one["op"] for one in report["skipped"]] == ["aten::bernoulli"]


def test_people_see_both_tolerances_side_by_side():
    done = kgbench("tolerance", "--op", "aten::silu", "--tier", "smoke")
    assert done.code == 0
    assert re.search(r"aten::silu +f32 +0\.\d+ +\d\.\de-\d\d +\d\.\d+ +\d\.\de-\d\d", done.out), done.out
    assert "published tolerance" in done.out


def test_mutants_are_judged_under_both_tolerances():
    done = kgbench("mutate", "--op", "aten::silu", "--per-op", "6", "--seed", "5eed", "--json")
    row = json.loads(done.out)["operators"][0]
    assert row["op"] == "aten::silu" and len(row["mutants"]) == 6
    counted = [m for m in row["mutants"] if "equivalent" not in m and m["verdict"] not in ("infra", "compile_error")]
    assert row["judged"] == len(counted)
    assert row["killed"] == sum(m["verdict"] != "pass" for m in counted)
    assert row["killed_published"] == sum(m["published"] != "pass" for m in counted)
    assert done.code == (0 if row["killed"] == row["judged"] else 1)


def test_the_numbers_of_the_catalogue_are_printed_by_one_command():
    done = kgbench("list", "--stats")
    assert done.code == 0
    table = {line[:40].strip(): line[40:].split() for line in done.out.splitlines()}
    assert table[""] == ["aten", "cublas", "vllm", "all"]
    assert table["operators"] == ["110", "50", "50", "210"]
    assert table["without an honest kernel"] == ["12", "0", "0", "12"]
    for label in ("entries", "smoke workloads", "full workloads", "hidden workloads of one draw"):
        *parts, total = map(int, table[label])
        assert total == sum(parts) > 210


def test_the_numbers_are_of_the_listed_operators_alone():
    done = kgbench("list", "--stats", "--suite", "vllm")
    assert done.code == 0
    table = {line[:40].strip(): line[40:].split() for line in done.out.splitlines()}
    assert table[""] == ["vllm", "all"]
    assert table["operators"] == ["50", "50"]
    stored = json.loads((HOME / "catalogue" / "measured.json").read_text())["operators"]
    moves = [row.get("moves_sensitive", 0) for op, row in stored.items() if op.startswith("vllm::")]
    assert "inf" in moves, "out of any bound, which counts as more than 1"
    assert table["sensitive to one ulp, with a reason"] == [str(sum(float(one) > 1 for one in moves))] * 2


def figures(text, pattern):
    """The groups of a sentence of a page, without the commas of thousands."""
    found = re.search(pattern, " ".join(text.split()))
    assert found, f"no longer reads like: {pattern}"
    return [group.replace(",", "") for group in found.groups()]


def test_the_pages_say_what_was_measured():
    """The numbers of README and docs/tolerance.md are those of the cards and of catalogue/measured.json."""
    table = {line[:40].strip(): line[40:].rsplit(None, 1)[-1] for line in kgbench("list", "--stats").out.splitlines()}
    shares = {line[:40].strip(): line.rsplit("  ", 1)[-1].strip() for line in kgbench("list", "--stats").out.splitlines()}
    stored = json.loads((HOME / "catalogue" / "measured.json").read_text())["operators"].values()
    mutants, found, published, equivalent = (str(sum(row.get(key, 0) for row in stored))
                                             for key in ("mutants", "found", "found_published", "equivalent"))
    readme, page = (HOME / "README.md").read_text(), (HOME / "docs" / "tolerance.md").read_text()
    assert figures(readme, r"([\d,]+) entries; ([\d,]+) smoke, ([\d,]+) full and ([\d,]+) hidden workloads") == [
        table[label] for label in ("entries", "smoke workloads", "full workloads", "hidden workloads of one draw")]
    assert figures(readme, r"our kernels use ([\d.]+) of their bounds") == [table["expert's worst error / bound, median"]]
    assert figures(readme, r"All of ([\d,]+) faults planted in the experts are found \(([\d.]+ %) by the published"
                           r" tolerance\), and ([\d,]+) more") == [
        mutants, shares["found by the published tolerance"], equivalent]
    assert found == mutants
    assert figures(readme, r"(\S+) holes in the fixture screen of ([\d,]+) operators") == [
        "No" if table["holes"] == "0" else table["holes"], table["operators screened"]]
    assert figures(readme, r"in ([\d,]+) one ulp of an input") == [table["sensitive to one ulp, with a reason"]]
    assert figures(page, r"operators' worst errors is ([\d.]+) of the bound, the largest ([\d.]+); ([\d,]+) of ([\d,]+)"
                         r" mutants are found, ([\d,]+) by the published tolerance, which also refuses a right answer of"
                         r" ([\d,]+) operators; the screen has (\w+) holes") == [
        table["expert's worst error / bound, median"], table["expert's worst error / bound, largest"], found, mutants,
        published, table["right answers it refuses, operators"], "no" if table["holes"] == "0" else table["holes"]]
