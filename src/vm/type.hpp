// SPDX-License-Identifier: Apache-2.0
// Types of TTIR values as the machine sees them: a scalar or tile of numbers, pointers, or a tensor
// descriptor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.hpp"

namespace kgb::vm {

inline constexpr std::int64_t kMaxElements = std::int64_t{1} << 20;  // Triton's own limit for a tensor
inline constexpr int kMaxRank = 24;

// Here rather than size_of(): handlers need it inlined.
constexpr std::size_t bytes_of(DType dtype) {
  switch (dtype) {
    case DType::b8:
    case DType::u8:
    case DType::i8:
    case DType::f8e4m3:
    case DType::f8e5m2:
      return 1;
    case DType::i16:
    case DType::u16:
    case DType::f16:
    case DType::bf16:
      return 2;
    case DType::i32:
    case DType::u32:
    case DType::f32:
      return 4;
    case DType::c128:
      return 16;
    default:
      return 8;
  }
}

constexpr bool is_floating(DType dtype) {
  return dtype == DType::f8e4m3 || dtype == DType::f8e5m2 || dtype == DType::f16 || dtype == DType::bf16 ||
         dtype == DType::f32 || dtype == DType::f64;
}
constexpr bool is_integral(DType dtype) {  // i1 counts: TTIR computes with it
  return dtype == DType::b8 || dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 ||
         dtype == DType::i64;
}
constexpr DType unsigned_of(DType dtype) {
  switch (dtype) {
    case DType::i8:
      return DType::u8;
    case DType::i16:
      return DType::u16;
    case DType::i32:
      return DType::u32;
    case DType::i64:
      return DType::u64;
    default:
      return dtype;
  }
}

struct Type {
  enum class Kind : std::uint8_t { value, pointer, descriptor, unknown };
  Kind kind = Kind::unknown;
  DType dtype = DType::i32;  // of an element; of the pointee; of the descriptor's block
  bool tensor = false;
  std::vector<std::int64_t> shape;  // tiles and descriptor blocks
  std::int64_t count = 1;           // elements of a tile, 1 for scalars and descriptors
  std::string text;

  [[nodiscard]] bool is(DType wanted) const { return kind == Kind::value && dtype == wanted; }
  [[nodiscard]] bool floating() const { return kind == Kind::value && is_floating(dtype); }
  [[nodiscard]] bool integral() const { return kind == Kind::value && is_integral(dtype); }
  [[nodiscard]] bool pointer() const { return kind == Kind::pointer; }
  [[nodiscard]] DType storage() const { return kind == Kind::value ? dtype : DType::u64; }
  [[nodiscard]] std::size_t element_bytes() const { return bytes_of(storage()); }
  [[nodiscard]] int rank() const { return static_cast<int>(shape.size()); }
  [[nodiscard]] bool same_shape(const Type& other) const {
    return tensor == other.tensor && shape == other.shape;
  }
};

// Parses "f32", "!tt.ptr<f32>", "tensor<64x32xf32>", "!tt.tensordesc<tensor<..>>" and the short forms that
// some operations print ("<f32>", "<tensor<..>>"). Element types that the machine does not know give
// Kind::unknown; nullopt: not a type, or a tile that is too large.
[[nodiscard]] std::optional<Type> type_from_text(std::string_view text);

}  // namespace kgb::vm
