# SPDX-License-Identifier: Apache-2.0
"""Operators that return a Python number: its type and every bit are compared, on values of each trial."""
import pytest
from conftest import FAST, judged_together

RIGHT = "self.reshape(()).tolist()"
WRONG = {
    "int as float": ("float(x) if isinstance(x, int) else x", "wrong_structure"),
    "bool as int": ("int(x) if isinstance(x, bool) else x", "wrong_structure"),
    "tensor": ("torch.tensor(x)", "wrong_structure"),
    "nothing": ("None", "wrong_structure"),
    "minus zero": ("x if x != x else x + 0.0 if isinstance(x, float) else x", "value_mismatch"),  # -0 becomes 0
    "NaN": ("0.0 if x != x else x", "nonfinite_mismatch"),
    "extreme": ("x if isinstance(x, (float, complex, bool)) else max(x, -2**62)", "value_mismatch"),
    "conjugate": ("x.conjugate() if isinstance(x, complex) else x", "value_mismatch"),
    "f32": ("float(torch.tensor(x, dtype=torch.float32)) if isinstance(x, float) else x", "value_mismatch"),
}
OTHERS = {"item": "x", "_local_scalar_dense": "x", "the operator": "self.item()"}
REMEMBERS = f"def item(self):\n    global kept\n    kept = globals().get('kept', {RIGHT})\n    return kept\n"


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory):
    """Candidates that return an expression, and one that keeps what it read first, by name."""
    folder = tmp_path_factory.mktemp("numbers")
    requests = {}
    for name, expression in {**OTHERS, **{name: wrong for name, (wrong, _) in WRONG.items()}, "remembers": None}.items():
        op = name if name == "_local_scalar_dense" else "item"
        file = folder / f"{name}.py"
        file.write_text(REMEMBERS if expression is None else
                        f"import torch\n\n\ndef {op}(self):\n    x = {RIGHT}\n    return {expression}\n")
        requests[name] = (f"aten::{op}", file)
    return judged_together(requests, *FAST)


@pytest.mark.parametrize("op", ["item", "_local_scalar_dense"])
def test_the_value_itself_passes(evaluations, op):
    assert evaluations[op]["verdict"] == "pass"


@pytest.mark.parametrize("name", WRONG)
def test_another_type_or_another_bit_does_not(evaluations, name):
    findings = evaluations[name]["findings"]
    assert WRONG[name][1] in {finding["kind"] for finding in findings}, findings[:3]


def test_the_operator_itself_is_no_answer(evaluations):
    assert evaluations["the operator"]["verdict"] == "not_custom"


def test_what_host_code_remembers_of_one_set_of_values_is_wrong_on_the_next(evaluations):
    assert evaluations["remembers"]["verdict"] in ("wrong_value", "wrong_contract")
