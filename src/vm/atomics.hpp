// SPDX-License-Identifier: Apache-2.0
// One element's atomic update, shared by tt.atomic_rmw and tt.descriptor_reduce.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/dtype.hpp"

namespace kgb::vm {

enum class Rmw : std::uint8_t { fadd, add, max, min, umax, umin, bit_and, bit_or, bit_xor, exch, fadd_flush };

// fadd_flush: f32, denormals of operands and sum being zeros.
// Combines the element at `address` with `value` and hands the old one out. `shared`: other threads run too.
using Update = void (*)(Rmw kind, bool shared, std::uint64_t address, const std::byte* value,
                        std::byte* old_out);
// Null for an element type without atomics.
[[nodiscard]] Update update_for(DType dtype);

}  // namespace kgb::vm
