# SPDX-License-Identifier: Apache-2.0
"""aten::_local_scalar_dense: one element copied to the host, which waits for it."""


def _local_scalar_dense(self):
    return self.reshape(()).tolist()  # of a tensor without dimensions the list is its number
