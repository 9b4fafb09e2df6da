// SPDX-License-Identifier: Apache-2.0
// A value at run time, in the cheapest form that says what it is: uniform, affine, box mask, or elements.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kgb::vm {

// Affine and box forms exist up to this rank; tiles of higher rank are elements.
inline constexpr int kFormRank = 4;

enum class Form : std::uint8_t {
  splat,   // every element is `bits`; scalars are this too
  affine,  // integers and pointers: base + sum over dimensions of stride[d] * i[d], or of table(d)[i[d]]
  box,     // i1: true where lo[d] <= i[d] < hi[d] in all dimensions
  dense,   // elements in `data`
  memory,  // elements of a buffer, left where they lie: at address `bits`, stride[d] bytes apart
};

// Region of a pointer whose origin is not one known buffer: it is looked up by address at the access.
inline constexpr int kAnyRegion = -1;

struct Value {
  std::byte* data = nullptr;  // where the elements are, or go when they are needed
  std::int64_t* table =
      nullptr;            // tables of affine dimensions, one after another; descriptors: see Descriptor
  std::int64_t bits = 0;  // splat: the element's bytes, low end first, rest 0; affine: the base
  std::int64_t n = 1;     // elements
  std::int32_t region = kAnyRegion;
  Form form = Form::splat;
  bool filled = false;                           // any but dense: `data` holds the elements as well
  std::uint8_t tables = 0;                       // affine: bit d set if dimension d is a table
  std::array<std::int64_t, kFormRank> stride{};  // affine (pointers: bytes), memory; box: lo
  std::array<std::int64_t, kFormRank> hi{};      // box

  void set_splat(std::int64_t value) {
    form = Form::splat;
    filled = false;
    bits = value;
  }
  void set_dense() {
    form = Form::dense;
    filled = true;
  }
};

}  // namespace kgb::vm
