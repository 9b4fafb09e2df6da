// SPDX-License-Identifier: Apache-2.0
// Element types: names, sizes and kinds, shared by cards, plans, the VM and the comparison.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace kgb {

// Names on the wire and on cards are exactly these enumerators.
enum class DType : std::uint8_t {
  b8,  // torch.bool, one byte, 0 or 1
  u8,
  i8,
  i16,
  i32,
  i64,
  u16,
  u32,
  u64,
  f8e4m3,
  f8e5m2,  // e4m3fn and e5m2, as torch.float8_e4m3fn and torch.float8_e5m2
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128,  // pairs of f32, f64: real part first
};

[[nodiscard]] std::size_t size_of(DType dtype);  // bytes per element
[[nodiscard]] std::string_view name_of(DType dtype);
[[nodiscard]] std::optional<DType> dtype_named(std::string_view name);
[[nodiscard]] bool is_float(DType dtype);  // f8* .. f64
[[nodiscard]] bool is_complex(DType dtype);
[[nodiscard]] bool is_integer(DType dtype);  // not b8
// Unit roundoff 2^-p of a float or complex type, p the precision with the hidden bit; 0 for integers.
[[nodiscard]] double unit_roundoff(DType dtype);
// Smallest positive subnormal; 0 for integers.
[[nodiscard]] double smallest_subnormal(DType dtype);
[[nodiscard]] double largest_finite(DType dtype);

}  // namespace kgb
