# SPDX-License-Identifier: Apache-2.0
"""out[m, k] = a[m, perm[k]]."""


def permute_cols(a, perm):
    return a[:, perm.to(int)]
