# SPDX-License-Identifier: Apache-2.0
"""-1 - x, which in two's complement flips every bit; of a bool, its negation."""
import torch


def bitwise_not(self):
    if self.dtype == torch.bool:
        return self == 0
    if self.dtype == torch.uint8:
        return 255 - self
    return -1 - self


def bitwise_not_out(self, *, out):
    return {"out": bitwise_not(self)}
