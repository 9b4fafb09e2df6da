// SPDX-License-Identifier: Apache-2.0
// What math.cpp compiles per instruction set.
// clang-format off: the order matters
#include "vm/numeric/narrow_kernels.hpp"
#include "vm/numeric/approx_kernels.hpp"
#include "vm/numeric/exp_kernels.hpp"
#include "vm/numeric/math_kernels.hpp"
// clang-format on
