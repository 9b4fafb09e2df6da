// SPDX-License-Identifier: Apache-2.0
// What compare.cpp compiles per instruction set.
// clang-format off: the order matters
#include "vm/numeric/narrow_kernels.hpp"
#include "vm/numeric/compare_kernels.hpp"
// clang-format on
