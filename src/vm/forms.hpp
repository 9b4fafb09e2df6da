// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the affine and box forms. Every function says no rather than give a wrong form.
#pragma once

#include <array>
#include <optional>

#include "vm/frame.hpp"

namespace kgb::vm {

struct Range {
  std::int64_t low = 0, high = 0;  // inclusive
};

// Start of dimension d's table inside value.table: the sum of the dimensions before it.
inline std::int64_t table_start(const Type& type, int d) {
  std::int64_t at = 0;
  for (int i = 0; i < d; ++i) at += type.shape[static_cast<std::size_t>(i)];
  return at;
}
// The part of an affine value that index i of dimension d contributes.
inline std::int64_t contribution(const Value& value, const Type& type, int d, std::int64_t i) {
  if ((value.tables >> d & 1) != 0) return value.table[table_start(type, d) + i];
  return value.stride[static_cast<std::size_t>(d)] * i;
}
// The last element of an affine value of one dimension without a table, if it is within 64 bits.
inline std::optional<std::int64_t> line_end(const Value& value, const Type& type) {
  std::int64_t reach = 0, end = 0;
  if (value.form != Form::affine || type.shape.size() != 1 || value.tables != 0 ||
      __builtin_mul_overflow(value.stride[0], type.shape[0] - 1, &reach) ||
      __builtin_add_overflow(value.bits, reach, &end))
    return std::nullopt;
  return end;
}
// Extremes of that part over from <= i < to; nullopt on overflow.
std::optional<Range> contribution_range(const Value& value, const Type& type, int d, std::int64_t from,
                                        std::int64_t to);
// Extremes of a splat or affine integer (or address), as mathematical integers; nullopt if they leave 64
// bits.
std::optional<Range> range_of(const Value& value, const Type& type);
// True if the affine value is one of the type's integers everywhere, i.e. nothing wrapped.
bool fits(const Value& value, const Type& type);
// Whether a value may have an affine form at all.
inline bool affine_type(const Type& type) {
  return !type.floating() && type.rank() <= kFormRank;
}
inline bool is_affine(const Value& value) {
  return value.form == Form::affine || value.form == Form::splat;
}

// A dense or affine value that varies in one dimension only becomes the table of that dimension in `out`,
// whose shape is the broadcast one. `in_type` may have size 1 where out's does not. False if it cannot.
bool table_from_elements(Frame& frame, int out, int in, const Type& in_type);

// Fills boxes; a box over a splat `true` is everything.
void set_full_box(Value& value, const Type& type);
inline bool box_empty(const Value& box, int rank) {
  for (int d = 0; d < rank; ++d)
    if (box.stride[static_cast<std::size_t>(d)] >= box.hi[static_cast<std::size_t>(d)]) return true;
  return false;
}

}  // namespace kgb::vm
