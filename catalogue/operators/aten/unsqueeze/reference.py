# SPDX-License-Identifier: Apache-2.0
"""The same elements; the shape gets a 1 at dim."""


def unsqueeze(self, dim):
    at = dim if dim >= 0 else dim + self.dim() + 1
    return self.reshape([*self.shape[:at], 1, *self.shape[at:]])
