// SPDX-License-Identifier: Apache-2.0
// Reads the JSON of a returned number; nothing is rounded: an integer stays one, a float has its f64's bits.
#include <cstdint>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "judge/number.hpp"

namespace kgb {
namespace {

using nlohmann::json;

template <typename T>
void append(std::vector<std::byte>& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

bool append_real(const json& value, std::vector<std::byte>& bytes) {
  if (value.is_number_float()) {
    append(bytes, value.get<double>());
  } else if (value == "nan") {
    append(bytes, std::numeric_limits<double>::quiet_NaN());
  } else if (value == "inf") {
    append(bytes, std::numeric_limits<double>::infinity());
  } else if (value == "-inf") {
    append(bytes, -std::numeric_limits<double>::infinity());
  } else {
    return false;
  }
  return true;
}

bool append_element(const json& value, DType dtype, std::vector<std::byte>& bytes) {
  switch (dtype) {
    case DType::b8:
      if (!value.is_boolean()) return false;
      append(bytes, static_cast<std::uint8_t>(value.get<bool>() ? 1 : 0));
      return true;
    case DType::u64:
      if (!value.is_number_unsigned()) return false;
      append(bytes, value.get<std::uint64_t>());
      return true;
    case DType::i64:
      if (!value.is_number_integer() ||
          (value.is_number_unsigned() &&
           value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())))
        return false;
      append(bytes, value.get<std::int64_t>());
      return true;
    case DType::f64:
      return append_real(value, bytes);
    case DType::c128:
      return value.is_array() && value.size() == 2 && append_real(value[0], bytes) &&
             append_real(value[1], bytes);
    default:
      return false;
  }
}

}  // namespace

std::optional<std::vector<std::byte>> number_bytes(const std::string& text, DType dtype) {
  std::vector<std::byte> bytes;
  if (!append_element(json::parse(text, nullptr, false), dtype, bytes)) return std::nullopt;
  return bytes;
}

}  // namespace kgb
