// SPDX-License-Identifier: Apache-2.0
// What convert.cpp compiles per instruction set.
#include "vm/numeric/narrow_kernels.hpp"
#include "vm/numeric/convert_kernels.hpp"
