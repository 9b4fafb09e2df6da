# SPDX-License-Identifier: Apache-2.0
"""The conjugate of self, as it would lie in memory; or self."""
import torch


def resolve_conj_conj(self):
    return torch.complex(self.real.clone(), -self.imag)


def resolve_conj(self):
    return self.clone()
