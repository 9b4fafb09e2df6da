# SPDX-License-Identifier: Apache-2.0
"""Each sum by itself, exactly."""
import math

import torch


def answer(entry, input, output):
    found = torch.zeros(output.shape, dtype=torch.float64)
    for t in range(input.shape[0]):
        for h in range(input.shape[2]):
            found[t, h] = math.fsum(input[t, :, h].tolist())
    return {"output": found}
