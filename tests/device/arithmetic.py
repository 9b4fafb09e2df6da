# SPDX-License-Identifier: Apache-2.0
"""Arithmetic that integers and floats share."""

import triton
import triton.language as tl


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def subtract(a, b):
    return a - b


@triton.jit
def multiply(a, b):
    return a * b


@triton.jit
def negate(a):
    return -a


@triton.jit
def absolute(a):
    return tl.abs(a)
