# SPDX-License-Identifier: Apache-2.0
"""Operators that return a Python number: its type and every bit are compared, on values of each trial."""
import json

import pytest
from conftest import FAST, kgbench

RIGHT = "self.reshape(()).tolist()"


def judged(tmp_path, expression, op="aten::item"):
    """The evaluation of a candidate that returns the expression."""
    file = tmp_path / "mine.py"
    file.write_text(f"import torch\n\n\ndef {op.rpartition(':')[2]}(self):\n    x = {RIGHT}\n    return {expression}\n")
    done = kgbench("judge", file, "--op", op, *FAST, "--json")
    return json.loads(done.out)


@pytest.mark.parametrize("op", ["aten::item", "aten::_local_scalar_dense"])
def test_the_value_itself_passes(tmp_path, op):
    assert judged(tmp_path, "x", op)["verdict"] == "pass"


@pytest.mark.parametrize("wrong, kind", [
    ("float(x) if isinstance(x, int) else x", "wrong_structure"),
    ("int(x) if isinstance(x, bool) else x", "wrong_structure"),
    ("torch.tensor(x)", "wrong_structure"),
    ("None", "wrong_structure"),
    ("x if x != x else x + 0.0 if isinstance(x, float) else x", "value_mismatch"),  # -0 becomes 0
    ("0.0 if x != x else x", "nonfinite_mismatch"),
    ("x if isinstance(x, (float, complex, bool)) else max(x, -2**62)", "value_mismatch"),
    ("x.conjugate() if isinstance(x, complex) else x", "value_mismatch"),
    ("float(torch.tensor(x, dtype=torch.float32)) if isinstance(x, float) else x", "value_mismatch"),
], ids=["int as float", "bool as int", "tensor", "nothing", "minus zero", "NaN", "extreme", "conjugate", "f32"])
def test_another_type_or_another_bit_does_not(tmp_path, wrong, kind):
    evaluation = judged(tmp_path, wrong)
    assert kind in {finding["kind"] for finding in evaluation["findings"]}, evaluation["findings"][:3]


def test_the_operator_itself_is_no_answer(tmp_path):
    assert judged(tmp_path, "self.item()")["verdict"] == "not_custom"


def test_what_host_code_remembers_of_one_set_of_values_is_wrong_on_the_next(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(f"def item(self):\n    global kept\n    kept = globals().get('kept', {RIGHT})\n    return kept\n")
    evaluation = json.loads(kgbench("judge", file, "--op", "item", *FAST, "--json").out)
    assert evaluation["verdict"] in ("wrong_value", "wrong_contract")
