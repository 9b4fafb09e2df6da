// SPDX-License-Identifier: Apache-2.0
// The table behind the element types.
#include "model/dtype.hpp"

#include <array>
#include <cmath>

namespace kgb {
namespace {

struct Row {
  DType dtype;
  std::string_view name;
  std::size_t bytes;
  int precision;          // bits with the hidden one; 0: not a float
  int smallest_exponent;  // of the smallest subnormal
  double largest;
};

constexpr std::array<Row, 17> rows = {{
    {DType::b8, "b8", 1, 0, 0, 1.0},
    {DType::u8, "u8", 1, 0, 0, 255.0},
    {DType::i8, "i8", 1, 0, 0, 127.0},
    {DType::i16, "i16", 2, 0, 0, 32767.0},
    {DType::i32, "i32", 4, 0, 0, 2147483647.0},
    {DType::i64, "i64", 8, 0, 0, 0x1p63},  // 2^63 - 1 is no double; the nearest is meant
    {DType::u16, "u16", 2, 0, 0, 65535.0},
    {DType::u32, "u32", 4, 0, 0, 4294967295.0},
    {DType::u64, "u64", 8, 0, 0, 0x1p64},  // likewise
    {DType::f8e4m3, "f8e4m3", 1, 4, -9, 448.0},
    {DType::f8e5m2, "f8e5m2", 1, 3, -16, 57344.0},
    {DType::f16, "f16", 2, 11, -24, 65504.0},
    {DType::bf16, "bf16", 2, 8, -133, 0x1.FEp127},
    {DType::f32, "f32", 4, 24, -149, 0x1.FFFFFEp127},
    {DType::f64, "f64", 8, 53, -1074, 0x1.FFFFFFFFFFFFFp1023},
    {DType::c64, "c64", 8, 24, -149, 0x1.FFFFFEp127},
    {DType::c128, "c128", 16, 53, -1074, 0x1.FFFFFFFFFFFFFp1023},
}};

const Row& row_of(DType dtype) {
  return rows[static_cast<std::size_t>(dtype)];
}

constexpr bool in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].dtype) != i) return false;
  return true;
}
static_assert(in_order(), "a row per enumerator, in the order of the enum");

}  // namespace

std::size_t size_of(DType dtype) {
  return row_of(dtype).bytes;
}
std::string_view name_of(DType dtype) {
  return row_of(dtype).name;
}

std::optional<DType> dtype_named(std::string_view name) {
  for (const Row& row : rows)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

bool is_complex(DType dtype) {
  return dtype == DType::c64 || dtype == DType::c128;
}
bool is_float(DType dtype) {
  return row_of(dtype).precision != 0 && !is_complex(dtype);
}
bool is_integer(DType dtype) {
  return row_of(dtype).precision == 0 && dtype != DType::b8;
}

double unit_roundoff(DType dtype) {
  const int precision = row_of(dtype).precision;
  return precision == 0 ? 0.0 : std::ldexp(1.0, -precision);
}

double smallest_subnormal(DType dtype) {
  const Row& row = row_of(dtype);
  return row.precision == 0 ? 0.0 : std::ldexp(1.0, row.smallest_exponent);
}

double largest_finite(DType dtype) {
  return row_of(dtype).largest;
}

}  // namespace kgb
