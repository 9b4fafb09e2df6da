// SPDX-License-Identifier: Apache-2.0
// All of the VM's numerics: span kernels resolved by operation and dtype, dispatched to the best instruction
// set.
#pragma once

#include "vm/numeric/arg_reduce.hpp"   // IWYU pragma: export
#include "vm/numeric/convert.hpp"      // IWYU pragma: export
#include "vm/numeric/dot.hpp"          // IWYU pragma: export
#include "vm/numeric/elementwise.hpp"  // IWYU pragma: export
#include "vm/numeric/isa.hpp"          // IWYU pragma: export
#include "vm/numeric/libdevice.hpp"    // IWYU pragma: export
#include "vm/numeric/math.hpp"         // IWYU pragma: export
#include "vm/numeric/reduce.hpp"       // IWYU pragma: export
#include "vm/numeric/scalar.hpp"       // IWYU pragma: export
