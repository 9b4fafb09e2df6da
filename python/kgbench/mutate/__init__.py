# SPDX-License-Identifier: Apache-2.0
"""Mutants of candidates: small faults of known kinds, to ask whether a card's workloads find them."""
from .mutants import KINDS, Mutant, mutants_of

__all__ = ["KINDS", "Mutant", "mutants_of"]
