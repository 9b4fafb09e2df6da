# SPDX-License-Identifier: Apache-2.0
"""The checks of the tree find what they are for: each is shown a small tree with one fault in it, and one without."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


@pytest.fixture
def tree(tmp_path):
    """A tree that every check accepts: three modules on three floors."""
    def write(path, text):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    write("docs/design.md", "## Layout\n| floor | module |\n|---|---|\n| 3 | `src/vm/` | a |\n"
          "| 1 | `src/model/` `src/wire/` | b |\n| 0 | `src/base/` | c |\n")
    write("CMakeLists.txt", "kgb_module(base HOT)\nkgb_module(model DEPS base)\nkgb_module(wire DEPS base)\nkgb_module(vm DEPS model)\n")
    write("docs/contracts/findings.md", "| kind | verdict |\n|---|---|\n| `infra` | infra | x |\n| `deadline` | timeout | y |\n")
    write("src/model/finding_kinds.def", SPDX + "KGB_FINDING(infra, infra)\nKGB_FINDING(deadline, timeout)\n")
    write("src/base/text.hpp", SPDX + "#pragma once\n#include <string>\nstd::string text();\n")
    write("src/model/plan.hpp", SPDX + '#pragma once\n#include "base/text.hpp"\n')
    write("src/vm/vm.hpp", SPDX + '#pragma once\n#include "model/plan.hpp"\n#include "base/text.hpp"\n')
    return Tree(tmp_path, write)


class Tree:
    def __init__(self, root, write):
        self.root, self.write = root, write

    def check(self, script, *args):
        """(exit code, everything printed) of a check run over this tree, which is no git repository."""
        env = {**os.environ, "GIT_CEILING_DIRECTORIES": str(self.root.parent), "GIT_DIR": str(self.root / "none")}
        done = subprocess.run([sys.executable, str(TOOLS / script), "--root", str(self.root), *args],
                              capture_output=True, text=True, env=env)
        return done.returncode, done.stdout + done.stderr


def test_a_sound_tree_passes(tree):
    for script in ("check_floors.py", "check_tree.py", "check_headers.py"):
        code, said = tree.check(script)
        assert code == 0, said


def test_an_include_that_runs_up_a_floor_fails(tree):
    tree.write("src/base/bad.cpp", SPDX + "\n" + '#include "vm/vm.hpp"\n')
    code, said = tree.check("check_floors.py")
    assert code == 1
    assert "src/base/bad.cpp:3: base (floor 0) includes vm (floor 3)" in said


def test_modules_of_one_floor_do_not_include_one_another(tree):
    tree.write("src/wire/frame.hpp", SPDX + '#include "model/plan.hpp"\n')
    code, said = tree.check("check_floors.py")
    assert code == 1 and "src/wire/frame.hpp:2: wire (floor 1) includes model (floor 1)" in said


def test_an_include_of_a_module_that_the_row_does_not_list_fails(tree):
    tree.write("src/vm/more.cpp", SPDX + '#include "wire/frame.hpp"\n')
    code, said = tree.check("check_floors.py")
    assert code == 1 and "src/vm/more.cpp:2: includes wire, which the row kgb_module(vm ...)" in said


def test_a_dependency_that_runs_up_fails(tree):
    tree.write("CMakeLists.txt", "kgb_module(base DEPS vm)\nkgb_module(vm)\nkgb_module(model)\nkgb_module(wire)\n")
    code, said = tree.check("check_floors.py")
    assert code == 1 and "CMakeLists.txt: base (floor 0) depends on vm (floor 3): runs up" in said


def test_a_folder_without_a_module_row_fails(tree):
    tree.write("src/attic/old.cpp", SPDX)
    code, said = tree.check("check_floors.py")
    assert code == 1 and "module attic has no kgb_module row" in said


def test_a_header_that_needs_another_first_fails(tree):
    tree.write("src/base/needy.hpp", SPDX + "#pragma once\nstd::string needy();\n")
    code, said = tree.check("check_headers.py")
    assert code == 1 and "src/base/needy.hpp: does not compile alone" in said


def test_a_header_is_proved_by_its_source_only_when_included_first(tree):
    tree.write("src/base/needy.hpp", SPDX + "#pragma once\nstd::string needy();\n")
    tree.write("src/base/needy.cpp", SPDX + '#include <string>\n#include "base/needy.hpp"\n')
    assert tree.check("check_headers.py")[0] == 1
    tree.write("src/base/needy.cpp", SPDX + '#include "base/needy.hpp"\n')
    assert tree.check("check_headers.py")[0] == 0


@pytest.mark.parametrize("rule, path, text, says", [
    ("length", "src/base/long.cpp", SPDX + "\n" * 500, "src/base/long.cpp: 501 lines"),
    ("spdx", "src/base/bare.cpp", "int x;\n", "src/base/bare.cpp: the first line"),
    ("marks", "src/base/later.cpp", SPDX + "// TO" + "DO: all of it\n", "src/base/later.cpp:2: mark of unfinished work"),
    ("paths", "tools/here.sh", "cd /home/" + "somebody/tree\n", "tools/here.sh:1: a path of one machine"),
    ("links", "docs/a.md", "[b](b.md)\n", "docs/a.md: link to b.md: there is no such file"),
    ("links", "docs/a.md", "# One\n[b](#two)\n", "docs/a.md: link to #two: no heading of that name"),
    ("links", "docs/a.md", "[b](../CMakeLists.txt)\n", "docs/a.md: link to ../CMakeLists.txt: leaves docs/"),
    ("findings", "src/model/finding_kinds.def", SPDX + "KGB_FINDING(infra, infra)\n", "2 rows in docs/contracts/findings.md, 1 in"),
    ("findings", "src/model/finding_kinds.def",
     SPDX + "KGB_FINDING(infra, infra)\nKGB_FINDING(deadline, pass)\n", "row 2 is ('deadline', 'timeout')"),
])
def test_each_rule_finds_its_fault(tree, rule, path, text, says):
    assert tree.check("check_tree.py", rule)[0] == 0
    tree.write(path, text)
    code, said = tree.check("check_tree.py", rule)
    assert code == 1
    assert says in said


def test_an_unknown_rule_is_named_and_the_known_ones_listed(tree):
    code, said = tree.check("check_tree.py", "lenght")
    assert code == 2 and "no rule lenght; there are: length spdx marks paths findings links" in said


def test_a_program_that_needs_libstdcxx_is_not_portable(tmp_path):
    source = tmp_path / "a.cpp"
    source.write_text("#include <iostream>\nint main() { std::cout << 1; }\n")
    for flags, expected in ([], 1), (["-static-libstdc++", "-static-libgcc"], 0):
        subprocess.run(["g++", str(source), "-o", str(tmp_path / "a"), *flags], check=True)
        done = subprocess.run([sys.executable, str(TOOLS / "check_portable.py"), str(tmp_path / "a")],
                              capture_output=True, text=True)
        assert done.returncode == expected, done.stderr
        assert ("libstdc++.so.6" in done.stderr) == (expected == 1)
