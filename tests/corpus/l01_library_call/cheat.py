# SPDX-License-Identifier: Apache-2.0
"""torch does the work."""
import torch


def mm(self, mat2):
    return torch.matmul(self, mat2)


def mm_out(self, mat2, *, out):
    return torch.mm(self, mat2, out=out)


def mm_dtype(self, mat2, out_dtype):
    return torch.mm(self.to(out_dtype), mat2.to(out_dtype))
