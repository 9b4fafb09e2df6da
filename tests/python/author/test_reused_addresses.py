# SPDX-License-Identifier: Apache-2.0
"""Addresses of inputs: the next call's are those of the call before, as long as host code holds none of its tensors."""
import plan_check
import pytest
from harness import HOST_CODES, call, run, tensor

KERNELS = (HOST_CODES / "add_inplace.py").read_text()
ADD = call("add_", ("self", tensor("f32", 33, mutated=True)), ("other", tensor("f32", 33)))
NEGATE = call("negate", ("self", tensor("f32", 64)))
HOST = '''
import torch
import triton
import triton.language as tl

@triton.jit
def negate_kernel(out, x, n):
    at = tl.arange(0, 64)
    tl.store(out + at, -tl.load(x + at, mask=at < n), mask=at < n)

@triton.jit
def through_table(out, table, n):
    at = tl.arange(0, 64)
    x = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(out + at, -tl.load(x + at, mask=at < n), mask=at < n)

KEPT = {}

'''


def inputs(made, path):
    """The buffers of one argument by call: (number, entry)."""
    found = sorted((b["call"], i) for i, b in enumerate(made["buffers"]) if b.get("arg") == path)
    return [(i, made["buffers"][i]) for _, i in found]


def recorded(body, job=NEGATE):
    made = run(HOST + body, job).recording()
    plan_check.check(made, [job] * 3)
    return made


def test_each_call_s_inputs_have_the_memory_of_those_before():
    made = run(KERNELS, ADD).recording()
    for path in ("self", "other"):
        first, second, third = inputs(made, path)
        assert "reuses" not in first[1]
        assert (second[1]["reuses"], third[1]["reuses"]) == (first[0], second[0])


@pytest.mark.parametrize("keep", ["KEPT.setdefault('all', []).append(self)", "KEPT[self.data_ptr()] = self[3:]"])
def test_an_input_that_host_code_holds_keeps_its_memory(keep):
    made = recorded(f'''
def negate(self):
    {keep}
    out = torch.empty_like(self)
    negate_kernel[(1,)](out, self, 64)
    return out
''')
    assert not any("reuses" in b for _, b in inputs(made, "self"))


def test_what_only_a_cycle_holds_is_gone():
    made = recorded('''
def negate(self):
    ring = [self]
    ring.append(ring)
    out = torch.empty_like(self)
    negate_kernel[(1,)](out, self, 64)
    return out
''')
    assert ["reuses" in b for _, b in inputs(made, "self")] == [False, True, True]


def test_a_result_found_by_address_is_that_of_the_first_call():
    made = recorded('''
def negate(self):
    out = torch.empty_like(self)
    if self.data_ptr() in KEPT:
        return out.copy_(KEPT[self.data_ptr()])
    negate_kernel[(1,)](out, self, 64)
    KEPT[self.data_ptr()] = out
    return out
''')
    assert [[n["node"] for n in c["nodes"]] for c in made["calls"]] == [["launch"], ["copy"], ["copy"]]


def test_a_table_found_by_address_still_leads_to_the_input():
    made = recorded('''
def negate(self):
    if self.data_ptr() not in KEPT:
        KEPT[self.data_ptr()] = torch.tensor([self.data_ptr()], device="cuda")
    out = torch.empty_like(self)
    through_table[(1,)](out, KEPT[self.data_ptr()], 64)
    return out
''')
    assert [[n["node"] for n in c["nodes"]] for c in made["calls"]] == [["upload", "launch"], ["launch"], ["launch"]]
    first, second, _ = inputs(made, "self")
    assert second[1]["reuses"] == first[0]  # so the address in the table is the second call's input, too


def test_workloads_share_no_addresses():
    answer = run(HOST + '''
def negate(self):
    out = torch.empty_like(self)
    if self.data_ptr() not in KEPT:
        negate_kernel[(1,)](out, self, 64)
    KEPT[self.data_ptr()] = True
    return out
''', NEGATE, NEGATE)
    for job in ("s1", "s2"):
        assert len(answer.recording(job)["calls"][0]["nodes"]) == 1
