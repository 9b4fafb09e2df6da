# SPDX-License-Identifier: Apache-2.0
"""NumPy's floor_divide."""
from independent import divided


def answer(entry, out=None, **named):
    (value,) = divided("floor_divide", **named, rounding_mode="floor").values()
    return {"return" if out is None else "out": value}
