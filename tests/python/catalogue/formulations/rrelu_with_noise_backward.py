# SPDX-License-Identifier: Apache-2.0
"""Element by element, from the definition."""
from independent import array, tensor


def answer(entry, grad_output, self, noise, lower, upper, training, self_is_result, out=None):
    g, x, r = array(grad_output), array(self), array(noise)
    value = g.copy()
    for i in range(g.size):
        random = training and upper - lower > 1e-6
        value.flat[i] *= r.flat[i] if random else 1.0 if x.flat[i] > 0 else 0.5 * (lower + upper)
    return {"return" if out is None else "out": tensor(value)}
