# SPDX-License-Identifier: Apache-2.0
"""A declared library as a contestant: found, installed, judged like everybody, and its lacks no failures."""
import json
import os
import pathlib
import re
import shutil
import sqlite3
import tempfile
import zipfile

import pytest
from conftest import FAST, kgbench

LIBRARY = pathlib.Path(__file__).parents[1] / "library"
CATALOGUE = ["--catalogue", LIBRARY / "catalogue"]
CHECKOUT = f"library:tiny_kernels={LIBRARY / 'package'}"
OPERATORS = {"aten::square": "pass", "aten::bitwise_not": "unsupported", "aten::neg": "wrong_value",
             "aten::cosh": "not_custom", "aten::sgn": "runtime_error"}


def say(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def evaluations(folder):
    """{operator: the stored evaluation}"""
    with sqlite3.connect(folder / "run.sqlite") as store:
        rows = store.execute("SELECT i.op, e.json FROM item i JOIN evaluation e ON e.item = i.id").fetchall()
    return {op: json.loads(text) for op, text in rows}


def fails(*arguments, **keyword):
    """The one line that a user's mistake gives."""
    done = kgbench(*CATALOGUE, *arguments, **keyword)
    assert done.code == 2, done.out + done.err
    lines = [line for line in done.err.splitlines() if not line.startswith("  ")]
    assert len(lines) == 1 and lines[0].startswith("error: "), done.err
    return lines[0]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library") / "run"
    done = kgbench(*CATALOGUE, "run", "--contestant", CHECKOUT, "--suite", "aten", "--out", folder, "-j", "2", *FAST)
    assert done.code == 0, done.err
    return folder


def test_every_operator_of_the_suite_has_a_verdict(run):
    verdicts = {op: e["verdict"] for op, e in evaluations(run).items()}
    assert len(verdicts) > 100
    assert verdicts == {**dict.fromkeys(verdicts, "unsupported"), **OPERATORS}


def test_what_the_library_lacks_is_said_and_not_run(run):
    found = evaluations(run)
    nothing, part = found["aten::softmax"], found["aten::bitwise_not"]
    assert [f["kind"] for f in nothing["findings"]] == ["not_in_library"] * 2
    assert {w["verdict"] for w in nothing["workloads"]} == {"unsupported"}
    assert [f["message"] for f in part["findings"]] == ["not in tiny_kernels: bitwise_not_out"]
    assert {w["verdict"] for w in part["workloads"]} == {"pass", "unsupported"}


def test_a_failure_names_the_library_s_own_line(run):
    finding = evaluations(run)["aten::cosh"]["findings"][0]
    assert (finding["kind"], finding["details"]["operator"]) == ("torch_compute", "aten::cosh")
    assert finding["file"] == "tiny_kernels/pointwise.py"
    line = (LIBRARY / "package" / finding["file"]).read_text().splitlines()[finding["line"] - 1]
    assert "torch.cosh(x, out=out)" in line
    assert evaluations(run)["aten::sgn"]["findings"][0]["file"] == "tiny_kernels/pointwise.py"


def test_junit_skips_what_the_library_lacks(run):
    xml = kgbench("report", run, "--format", "junit").out
    assert re.search(r'tests="\d+" failures="3" errors="0" skipped="\d+"', xml), xml[:400]
    assert '<skipped message="not in tiny_kernels: bitwise_not_out"/>' in xml


def test_a_run_of_a_library_resumes_from_its_name(run):
    done = kgbench(*CATALOGUE, "run", "--resume", run)
    assert done.code == 0, done.err
    assert "Judged 0 in" in done.out


def test_one_operator_is_judged_again_as_a_file(run):
    done = kgbench(*CATALOGUE, "judge", run / "candidates/aten/neg.py", "--op", "neg", "--library",
                   CHECKOUT.removeprefix("library:"), *FAST)
    assert done.code == 1
    assert "wrong_value" in done.out


def test_without_the_declaration_the_package_is_not_there(run):
    done = kgbench("judge", run / "candidates/aten/square.py", "--op", "square", *FAST)
    assert done.code == 1
    assert "No module named 'tiny_kernels'" in done.out


def test_the_libraries_are_listed():
    found = {row["name"]: row for row in json.loads(kgbench(*CATALOGUE, "list", "--libraries", "--json").out)}
    assert found["tiny_kernels"]["entries"] == 9 and found["tiny_kernels"]["installed"] == ""
    assert "flag_gems" in found


def test_mistakes_are_one_line(tmp_path):
    def contestant(name):
        return fails("run", "--contestant", name, "--suite", "aten", "--out", tmp_path / "run", *FAST)
    assert "no library 'tiny_kernel' (did you mean 'tiny_kernels'?)" in contestant("library:tiny_kernel")
    assert "holds no package tiny_kernels" in contestant(f"library:tiny_kernels={tmp_path}")
    assert "names no folder" in contestant("library:tiny_kernels=")
    assert "names none" in contestant("library:")
    assert not (tmp_path / "run").exists()


def test_a_broken_library_file_is_told_by_its_line(tmp_path):
    say(tmp_path / "libraries/broken.toml", 'schema = "library/1"\npackage = "b"\nversion = "1"\nimport = "b"\n'
        '[operators."aten::add"]\nadd_Tensr = "b:add"\n')
    say(tmp_path / "libraries/torn.toml", "schema = \n")
    done = kgbench("--catalogue", tmp_path, "run", "--contestant", "library:broken")
    assert done.code == 2
    assert "broken.toml:3: version: must be bounds" in done.err and "(and 1 more)" in done.err
    assert "torn.toml:1: " in kgbench("--catalogue", tmp_path, "run", "--contestant", "library:torn").err


# -- installing ------------------------------------------------------------------------------------------------
def wheel(folder, version):
    """A wheel of the library, made by hand."""
    folder.mkdir(parents=True, exist_ok=True)
    info = f"tiny_kernels-{version}.dist-info"
    with zipfile.ZipFile(folder / f"tiny_kernels-{version}-py3-none-any.whl", "w") as file:
        for path in (LIBRARY / "package/tiny_kernels").glob("*.py"):
            file.write(path, f"tiny_kernels/{path.name}")
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-kernels\nVersion: {version}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{info}/RECORD", "")


@pytest.fixture
def place():
    """A folder for a cache and wheels, and the environment that names them and no package index. Root's candidates
    run as other users, to whom pytest's own folders are closed."""
    with tempfile.TemporaryDirectory(prefix="kgb-library-") as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        yield folder, {**os.environ, "KGBENCH_CACHE": str(folder / "cache"), "PIP_NO_INDEX": "1",
                       "PIP_FIND_LINKS": str(folder / "wheels")}


RUN = ["run", "--contestant", "library:tiny_kernels", "--op", "aten::square", *FAST]


def test_a_library_that_is_not_there_is_installed_on_request_only(tmp_path, place):
    folder, environment = place
    said = fails(*RUN, "--out", tmp_path / "run", env=environment)
    assert "tiny_kernels is not installed. Add --install: pip puts tiny-kernels>=1.2,<2 into" in said
    said = fails(*RUN, "--out", tmp_path / "run", "--install", env=environment)
    assert "pip could not install tiny-kernels>=1.2,<2" in said and "PIP_FIND_LINKS" in said
    wheel(folder / "wheels", "1.2.5")
    done = kgbench(*CATALOGUE, *RUN, "--out", tmp_path / "run", "--install", env=environment)
    assert done.code == 0, done.err
    assert evaluations(tmp_path / "run")["aten::square"]["verdict"] == "pass"
    with sqlite3.connect(tmp_path / "run/run.sqlite") as store:
        assert json.loads(store.execute("SELECT host FROM run").fetchone()[0])["library"] == "tiny_kernels 1.2.5"


def test_another_version_than_the_file_is_for_is_refused(tmp_path, place):
    folder, environment = place
    site = folder / "cache/libraries/tiny_kernels"
    say(site / "tiny_kernels/__init__.py", "")
    (site / "tiny_kernels-2.1.0.dist-info").mkdir()
    assert "tiny_kernels 2.1.0 is installed, but" in fails(*RUN, "--out", tmp_path / "run", env=environment)


# -- two runs --------------------------------------------------------------------------------------------------
def test_a_worse_run_fails_the_comparison(run, tmp_path):
    worse = tmp_path / "worse"
    shutil.copytree(run, worse)
    with sqlite3.connect(worse / "run.sqlite") as store:
        store.execute("DELETE FROM workload WHERE item IN (SELECT id FROM item WHERE op = 'aten::square')")
        for table in ("finding", "target", "timing", "evaluation"):
            store.execute(f"DELETE FROM {table} WHERE item IN (SELECT id FROM item WHERE op = 'aten::square')")
    assert kgbench("compare", run, run, "--fail-on-regression").code == 0
    done = kgbench("compare", run, worse, "--fail-on-regression")
    assert done.code == 1
    assert re.search(r"worse +aten::square +pass -> not judged", done.out), done.out
    assert kgbench("compare", run, worse).code == 0
    assert kgbench("compare", worse, run, "--fail-on-regression").code == 0
    assert json.loads(kgbench("compare", run, worse, "--json").out)["regressions"] == 1


def test_comparing_with_what_is_no_run_is_a_mistake(run, tmp_path):
    assert kgbench("compare", run, tmp_path).code == 2
