# SPDX-License-Identifier: Apache-2.0
"""The attack corpus: every cheat gets its verdict, every honest twin passes, through one warm judge.

A folder is a case: case.toml (catalogue id, operator, verdict and, where it is certain, the deciding finding, also another that must be there),
cheat.py, and twin.py, an honest candidate as near to the cheat as it can be. Where there is no twin.py the
operator's expert is the twin; where there is no cheat.py the case is an honest candidate that hasty judges refuse.
"""
import json
import os
import pathlib
import subprocess
import tomllib

import pytest

HERE = pathlib.Path(__file__).parent
HOME = pathlib.Path(os.environ.get("KGBENCH_HOME", HERE.parents[1]))
BINARY = os.environ.get("KGBENCH_BINARY", "kgbench")
OPTIONS = ["--tier", "smoke", "--target", "none", "--no-time", "--seed", "c0ffee"]
CASES = {folder.name: tomllib.loads((folder / "case.toml").read_text()) for folder in sorted(HERE.iterdir())
         if (folder / "case.toml").is_file()}
CHEATS = [name for name in CASES if (HERE / name / "cheat.py").exists()]
# Those that take a whole limit have a judge of short ones. All others end by themselves, and limits are wall time:
# a busy machine must not make a timeout of them.
SLOW = ["p04_endless_host_loop", "x01_hung_kernel"]
SHORT, LONG = ["--author-limit", "25", "--trial-limit", "10"], ["--author-limit", "120", "--trial-limit", "60"]


def twin_of(name):
    own = HERE / name / "twin.py"
    return own if own.exists() else HOME / "catalogue" / "operators" / CASES[name]["op"].replace("::", "/") / "expert.py"


def requests():
    """One request a cheat, one a distinct twin; ids are the files' paths."""
    asked = {str(HERE / name / "cheat.py"): CASES[name]["op"] for name in CHEATS}
    known = {}
    for name in CASES:
        # Twins whose text is the same below the description are judged once.
        text = twin_of(name).read_text().split('"""', 2)[-1]
        first = known.setdefault((CASES[name]["op"], text), twin_of(name))
        asked[str(first)] = CASES[name]["op"]
        ALIASES[name] = str(first)
    return asked


ALIASES = {}


@pytest.fixture(scope="module")
def results():
    asked = requests()
    slow = {file: asked.pop(file) for file in [str(HERE / name / "cheat.py") for name in SLOW]}
    return judged(slow, SHORT) | judged(asked, LONG)


def judged(asked, limits):
    lines = "".join(json.dumps({"id": file, "op": op, "file": file}) + "\n" for file, op in asked.items())
    done = subprocess.run([BINARY, "judge", "--stream", "--json", "-j", "2", *OPTIONS, *limits], input=lines,
                          capture_output=True, text=True, timeout=840)
    assert done.returncode == 0, done.stderr
    return {answer["id"]: answer for answer in map(json.loads, done.stdout.splitlines())}


@pytest.mark.parametrize("name", CHEATS)
def test_a_cheat_gets_its_verdict(results, name):
    answer = results[str(HERE / name / "cheat.py")]
    assert "error" not in answer, answer
    assert answer["verdict"] == CASES[name]["verdict"], answer["message"]


@pytest.mark.parametrize("name", list(CASES))
def test_an_honest_twin_passes(results, name):
    answer = results[ALIASES[name]]
    assert "error" not in answer, answer
    assert answer["verdict"] == "pass", answer["message"]
    assert answer["workloads_passed"] == answer["workloads_judged"] > 0


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "finding" in case])
def test_the_deciding_finding_is_the_expected_one(results, name):
    cheat = HERE / name / "cheat.py"
    answer = results[str(cheat) if cheat.exists() else ALIASES[name]]
    kinds = [finding["kind"] for finding in answer["evaluation"]["findings"]]
    assert kinds[0] == CASES[name]["finding"]
    assert CASES[name].get("also", kinds[0]) in kinds


def test_the_corpus_is_wide():
    assert len(CHEATS) >= 26
    assert len({case["op"] for case in CASES.values()}) >= 10
    assert sum("finding" in case for case in CASES.values()) >= 19
