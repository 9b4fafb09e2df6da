# SPDX-License-Identifier: Apache-2.0
"""aten::unsqueeze: a view with one more dimension, whose stride is that of the block behind it."""


def unsqueeze(self, dim):
    at = dim if dim >= 0 else dim + self.dim() + 1
    shape, strides = list(self.shape), list(self.stride())
    step = shape[at] * strides[at] if at < len(shape) else 1
    return self.as_strided([*shape[:at], 1, *shape[at:]], [*strides[:at], step, *strides[at:]])
