// SPDX-License-Identifier: Apache-2.0
// What dot.cpp compiles per instruction set.
// clang-format off: the order matters
#include "vm/numeric/narrow_kernels.hpp"
#include "vm/numeric/dot_kernels.hpp"
// clang-format on
