// SPDX-License-Identifier: Apache-2.0
// What dot.cpp compiles per instruction set.
#include "vm/numeric/narrow_kernels.hpp"
#include "vm/numeric/dot_kernels.hpp"
