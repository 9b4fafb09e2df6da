# SPDX-License-Identifier: Apache-2.0
"""(x > 0) - (x < 0): NaN is neither."""


def sgn(self):
    return (self > 0).to(self.dtype) - (self < 0).to(self.dtype)


def sgn_out(self, *, out):
    return {"out": sgn(self)}
