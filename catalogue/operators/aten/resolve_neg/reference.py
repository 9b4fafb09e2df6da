# SPDX-License-Identifier: Apache-2.0
"""The negative of self, or of its imaginary part, as it would lie in memory; or self."""


def resolve_neg_neg(self):
    return -self


def resolve_neg_imag(self):
    return -self.imag


def resolve_neg(self):
    return self.clone()
