// SPDX-License-Identifier: Apache-2.0
// Parsing of TTIR type text.
#include "vm/type.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace kgb::vm {
namespace {

std::optional<DType> element_named(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, DType>, 21> names{{{"f32", DType::f32},
                                                                             {"i32", DType::i32},
                                                                             {"i1", DType::b8},
                                                                             {"i64", DType::i64},
                                                                             {"f16", DType::f16},
                                                                             {"bf16", DType::bf16},
                                                                             {"i8", DType::i8},
                                                                             {"i16", DType::i16},
                                                                             {"f64", DType::f64},
                                                                             {"f8E4M3FN", DType::f8e4m3},
                                                                             {"f8E5M2", DType::f8e5m2},
                                                                             {"index", DType::i64},
                                                                             {"u8", DType::i8},
                                                                             // Blocks of descriptors
                                                                             // keep the sign.
                                                                             {"si8", DType::i8},
                                                                             {"si16", DType::i16},
                                                                             {"si32", DType::i32},
                                                                             {"si64", DType::i64},
                                                                             {"ui8", DType::i8},
                                                                             {"ui16", DType::i16},
                                                                             {"ui32", DType::i32},
                                                                             {"ui64", DType::i64}}};
  for (const auto& [key, dtype] : names)
    if (key == name) return dtype;
  return std::nullopt;
}

bool take_wrapper(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix) || !text.ends_with('>')) return false;
  text.remove_prefix(prefix.size());
  text.remove_suffix(1);
  return true;
}

// "!tt.ptr<f32, 1>": the address space says nothing to a machine with one memory.
void set_pointer(Type& type, std::string_view inner) {
  inner = inner.substr(0, std::min(inner.find(','), inner.size()));
  type.kind = Type::Kind::pointer;
  if (inner.starts_with("!tt.ptr<")) {
    type.dtype = DType::i64;
  } else if (const auto dtype = element_named(inner)) {
    type.dtype = *dtype;
  } else {
    type.kind = Type::Kind::unknown;
  }
}

void set_element(Type& type, std::string_view text) {
  std::string_view inner = text;
  if (take_wrapper(inner, "!tt.ptr<")) return set_pointer(type, inner);
  if (const auto dtype = element_named(text)) {
    type.kind = Type::Kind::value;
    type.dtype = *dtype;
  }
}

// "64x32xf32": dimensions, then the element. False if a dimension is no number or the tile is too large.
bool set_tile(Type& type, std::string_view inner) {
  type.tensor = true;
  while (!inner.empty() && inner.front() >= '0' && inner.front() <= '9') {
    std::int64_t dim = 0;
    const auto [end, error] = std::from_chars(inner.data(), inner.data() + inner.size(), dim);
    if (error != std::errc{} || dim < 1 || dim > kMaxElements) return false;
    inner.remove_prefix(static_cast<std::size_t>(end - inner.data()));
    if (inner.empty() || inner.front() != 'x') return false;
    inner.remove_prefix(1);
    type.shape.push_back(dim);
    type.count *= dim;
    if (type.count > kMaxElements || type.rank() > kMaxRank) return false;
  }
  if (type.shape.empty()) return false;
  // An encoding may follow the element type after a comma; TTIR has none, so it is unknown.
  set_element(type, inner);
  return true;
}

}  // namespace

std::optional<Type> type_from_text(std::string_view text) {
  Type type;
  type.text = std::string(text);
  std::string_view inner = text;
  if (take_wrapper(inner, "tensor<")) {
    if (!set_tile(type, inner)) return std::nullopt;
    return type;
  }
  if (take_wrapper(inner, "!tt.tensordesc<") || (text.starts_with("<tensor<") && take_wrapper(inner, "<"))) {
    if (!take_wrapper(inner, "tensor<") || !set_tile(type, inner)) return std::nullopt;
    if (type.kind == Type::Kind::value) type.kind = Type::Kind::descriptor;
    type.tensor = false;
    type.count = 1;
    return type;
  }
  if (take_wrapper(inner, "<")) {
    set_pointer(type, inner);
    return type;
  }
  set_element(type, text);
  return type;
}

}  // namespace kgb::vm
