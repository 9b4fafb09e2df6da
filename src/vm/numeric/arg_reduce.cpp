// SPDX-License-Identifier: Apache-2.0
// Reductions of pairs: the kernels per instruction set and the choice between them.
#include "vm/numeric/arg_reduce.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vm/numeric/isa.hpp"

#define KGB_KERNELS "vm/numeric/arg_reduce_kernels.hpp"
#include "vm/numeric/for_each_isa.hpp"

namespace kgb::vm::numeric {

ArgReducer arg_reducer(ArgOrder order, DType dtype) {
  return KGB_DISPATCH(arg_kernels(order, dtype));
}

}  // namespace kgb::vm::numeric
