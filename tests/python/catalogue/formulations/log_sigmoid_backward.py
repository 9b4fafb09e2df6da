# SPDX-License-Identifier: Apache-2.0
"""grad times the slope of ln(sigmoid(x)), which is (1 - tanh(x / 2)) / 2, or e^-x / (1 + e^-x) right of zero."""
import numpy as np

from independent import array, tensor


def answer(entry, grad_output, self, buffer, grad_input=None):
    x, g = array(self), array(grad_output)
    with np.errstate(all="ignore"):
        e = np.exp(-x)
        slope = np.where(x > 0, e / (1 + e), (1 - np.tanh(x / 2)) / 2)
        value = g * np.where(x == np.inf, 0.0, slope)
    return {"return" if grad_input is None else "grad_input": tensor(value)}
