# SPDX-License-Identifier: Apache-2.0
"""_softmax by SciPy; its gradient by the Jacobian diag(y) - y y^T, row by row."""
import numpy as np
import scipy.special
import torch


def answer(entry, dim, **named):
    if "self" in named:
        x = named["self"].to(torch.float64).numpy()
        y = scipy.special.softmax(x, axis=dim if x.ndim else None) if x.size else x
        return {"out" if "out" in named else "return": torch.from_numpy(np.array(y, order="C"))}
    g = np.moveaxis(named["grad_output"].to(torch.float64).numpy(), dim, -1)
    y = np.moveaxis(named["output"].to(torch.float64).numpy(), dim, -1)
    rows = [(np.diag(b) - np.outer(b, b)) @ a
            for a, b in zip(g.reshape(-1, g.shape[-1]), y.reshape(-1, y.shape[-1]))]
    result = np.moveaxis(np.array(rows).reshape(y.shape), -1, dim)
    return {"grad_input" if "grad_input" in named else "return": torch.from_numpy(np.array(result, order="C"))}
