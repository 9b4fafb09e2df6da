// SPDX-License-Identifier: Apache-2.0
// Checking handlers of values: integer division by zero, and what lanes hold that nothing defines.
#include <algorithm>
#include <cstring>

#include "vm/elementwise.hpp"
#include "vm/sanitize_check.hpp"
#include "vm/sanitize_instrument.hpp"

namespace kgb::vm::checked {
namespace {

bool may_hold_zero(Frame& frame, int id) {
  const Value& value = frame.at(id);
  const Type& type = frame.type(id);
  if (value.form == Form::splat) return low_bytes(value.bits, type.element_bytes()) == 0;
  if (value.form == Form::affine) {
    const auto range = range_of(value, type);
    if (range && (range->low > 0 || range->high < 0)) return false;
  }
  return true;
}

bool is_zero(const std::byte* data, std::size_t bytes) {
  return std::all_of(data, data + bytes, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace

void run_division(Frame& frame, const Instruction& made) {
  LaunchCheck* check = frame.check == nullptr ? nullptr : frame.check->launch;
  if (check == nullptr || !may_hold_zero(frame, made.in[1])) return made.extra->inner(frame, made);
  const Type& type = frame.type(made.in[1]);
  const std::size_t bytes = type.element_bytes();
  if (!type.tensor) {
    check->report(frame, made, "division_by_zero", "integer division by zero", -1, 0, {});
    return made.extra->inner(frame, made);
  }
  const std::byte* divisor = elements(frame, made.in[1]);
  std::vector<std::int64_t> lanes;
  for (std::int64_t i = 0; i < type.count; ++i)
    if (is_zero(divisor + static_cast<std::size_t>(i) * bytes, bytes)) lanes.push_back(i);
  made.extra->inner(frame, made);
  if (lanes.empty() || frame.trapped) return;
  check->divided_by_zero(made);
  if (check->variant() == UndefinedValue::zero) return;
  // A tile that is one value throughout need not stay so.
  std::byte* out = elements(frame, made.out[0]);
  const int other = check->variant() == UndefinedValue::poison ? 0x5A : 0x11;
  for (const std::int64_t lane : lanes)
    std::memset(out + static_cast<std::size_t>(lane) * bytes, other, bytes);
  frame.at(made.out[0]).set_dense();
}

void fill_undefined(Frame& frame, const Instruction& made) {
  const Type& type = frame.type(made.out[0]);
  const std::size_t bytes = type.element_bytes();
  std::int64_t bits = low_bytes(0x1111111111111111, bytes);
  if (type.is(DType::b8) || frame.at(made.out[0]).form == Form::memory) return;  // no lane is inactive there
  if (type.floating()) {
    const double large = 128;  // every format holds it
    numeric::converter(DType::f64, type.dtype)(&large, &bits, 1);
  }
  const auto* mask = reinterpret_cast<const std::uint8_t*>(elements(frame, made.in[1]));
  std::byte* out = elements(frame, made.out[0]);
  for (std::int64_t i = 0; i < type.count; ++i)
    if (mask[i] == 0) std::memcpy(out + static_cast<std::size_t>(i) * bytes, &bits, bytes);
  Value& value = frame.at(made.out[0]);
  if (type.count == 1 && !type.tensor) {
    std::int64_t one = 0;
    std::memcpy(&one, out, bytes);
    value.set_splat(one);
  } else {
    value.set_dense();
  }
}

}  // namespace kgb::vm::checked
