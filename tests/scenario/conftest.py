# SPDX-License-Identifier: Apache-2.0
"""How scenarios start the program, and the candidates that they judge."""
import json
import os
import pathlib
import shutil
import subprocess
import types

import pytest

HOME = pathlib.Path(os.environ.get("KGBENCH_HOME", pathlib.Path(__file__).parents[2]))
BINARY = os.environ.get("KGBENCH_BINARY", "kgbench")
FAST = ["--tier", "smoke", "--target", "none", "--no-time", "--seed", "5eed"]


def kgbench(*arguments, input=None, timeout=400, stdout_to=subprocess.PIPE, **more):
    """Runs the program to its end; standard output and error as text."""
    done = subprocess.run([BINARY, *map(str, arguments)], input=input, stdout=stdout_to, stderr=subprocess.PIPE,
                          timeout=timeout, **more)
    return types.SimpleNamespace(code=done.returncode, out=(done.stdout or b"").decode("utf-8", "replace"),
                                 err=done.stderr.decode("utf-8", "replace"))


def judged_together(requests, *options):
    """{id: (op, file)} -> {id: evaluation}, through one judge: starting one costs more than most candidates do."""
    lines = "".join(json.dumps({"id": name, "op": op, "file": str(file)}) + "\n" for name, (op, file) in requests.items())
    done = kgbench("judge", "--stream", "--json", "-j", "2", *options, input=lines.encode())
    assert done.code == 0, done.err
    return {answer["id"]: answer.get("evaluation", answer) for answer in map(json.loads, done.out.splitlines())}


def expert(op):
    """The path of an operator's expert."""
    return HOME / "catalogue" / "operators" / op.replace("::", "/") / "expert.py"


# Eight candidates that are decided quickly: two right ones, and six that fail in different ways.
QUICK = {"vllm/rms_norm": None, "cublas/Sdot": None, "aten/add": "def add_Tensor(:\n", "aten/mul": "import sys\nsys.exit(3)\n",
         "aten/mean": "raise ValueError('no kernel')\n", "aten/sum": "import flash_attn\n", "aten/cat": "x = 1\n",
         "aten/mm": "def mm(a, b):\n    return a\n\n\nmm_out = mm_dtype = mm\n"}
VERDICTS = {"vllm::rms_norm": "pass", "cublas::Sdot": "pass", "aten::add": "compile_error",
            "aten::mul": "runtime_error", "aten::mean": "runtime_error", "aten::sum": "not_custom",
            "aten::cat": "wrong_contract", "aten::mm": "runtime_error"}


@pytest.fixture
def candidates(tmp_path):
    """A contestant's folder with the quick candidates."""
    folder = tmp_path / "candidates"
    for name, text in QUICK.items():
        file = folder / (name + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        if text is None:
            shutil.copy(expert(name.replace("/", "::")), file)
        else:
            file.write_text(text)
    return folder
