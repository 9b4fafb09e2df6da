// SPDX-License-Identifier: Apache-2.0
// What compare.cpp compiles per instruction set.
#include "vm/numeric/narrow_kernels.hpp"
#include "vm/numeric/compare_kernels.hpp"
