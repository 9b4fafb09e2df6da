# SPDX-License-Identifier: Apache-2.0
"""Text that Triton never wrote: words exchanged, dropped and replaced in the TTIR of real kernels. Nothing may crash."""
import random
import re

import operation_kernels
import pytest
import vmlaunch
from kgbench import _kgbench

NUMBERS = ["0", "1", "-1", "2", "3", "63", "64", "128", "1048576", "2147483648", "9223372036854775807"]
KINDS = {"out_of_bounds", "read_only", "unsupported", "step_limit", "deadline", "assert", "division_by_zero", "malformed"}


def damaged(text, words, generator):
    for _ in range(generator.randint(1, 3)):
        found = list(re.finditer(r"[\w.%!-]+", text))
        at = generator.choice(found)
        replacement = generator.choice([generator.choice(words), generator.choice(NUMBERS), "",
                                        generator.choice(found).group()])
        text = text[:at.start()] + replacement + text[at.end():]
    return text


@pytest.mark.parametrize("kernel", operation_kernels.KERNELS, ids=lambda k: k.__name__)
def test_damaged_text_is_refused_or_runs(kernel):
    options = {"N": operation_kernels.N, "debug": kernel is operation_kernels.reports}
    text = vmlaunch.ttir_of(kernel, *operation_kernels.arguments(), **options)
    text = re.sub(r" loc\((#loc\d*)\)", "", "\n".join(line for line in text.splitlines() if not line.startswith("#loc")))
    text = re.sub(r' loc\("[^"]*"\(#loc\d*\)\)', "", text)
    generator, words = random.Random(5), sorted(set(re.findall(r'[\w.%!<>@"-]+', text)))
    ran = 0
    for turn in range(150):
        tensors = operation_kernels.arguments()
        buffers = [(f"t{i}", t.data_ptr(), t.numel() * 4, True) for i, t in enumerate(tensors)]
        try:
            result = _kgbench.vm_run(damaged(text, words, generator), (2, 1, 1), [("ptr", i, 0) for i in range(3)], buffers,
                                     max_steps=20000, seconds=2.0, contraction=turn % 2 == 1, flush_denormals=turn % 2 == 1,
                                     exact_remainder=turn % 2 == 0)
        except ValueError as refusal:
            assert str(refusal)
            continue
        ran += 1
        assert {f["kind"] for f in result["findings"]} <= KINDS
    assert ran > 0
