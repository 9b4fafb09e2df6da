# SPDX-License-Identifier: Apache-2.0
"""Pixel by pixel."""
import numpy as np

from independent import array, tensor


def answer(entry, theta, size, align_corners, out=None):
    t, sides = array(theta), size[2:]
    result = np.zeros([size[0], *sides, len(sides)])

    def place(i, n):
        if align_corners:
            return 0.0 if n == 1 else -1 + 2 * i / (n - 1)
        return -1 + (2 * i + 1) / n

    for at in np.ndindex(size[0], *sides):
        point = [place(i, n) for i, n in zip(at[1:], sides)][::-1] + [1.0]
        result[at] = t[at[0]] @ point
    return {"return" if out is None else "out": tensor(result)}
