// SPDX-License-Identifier: Apache-2.0
// What reduce.cpp compiles per instruction set.
// clang-format off: the order matters
#include "vm/numeric/narrow_kernels.hpp"
#include "vm/numeric/approx_kernels.hpp"
#include "vm/numeric/op_kernels.hpp"
#include "vm/numeric/reduce_kernels.hpp"
// clang-format on
