// SPDX-License-Identifier: Apache-2.0
// A TOML document as plain values that know their line, so that one file alone needs the TOML library.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace kgb {

struct TomlItem;
struct TomlValue;
using TomlArray = std::vector<TomlValue>;

struct TomlTable {
  std::vector<TomlItem> items;  // in the order of the file
  [[nodiscard]] const TomlValue* find(std::string_view key) const;
};

struct TomlValue {
  std::variant<bool, std::int64_t, double, std::string, TomlArray, TomlTable> data;
  int line = 0;

  [[nodiscard]] const TomlTable* table() const { return std::get_if<TomlTable>(&data); }
  [[nodiscard]] const TomlArray* array() const { return std::get_if<TomlArray>(&data); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&data); }
  [[nodiscard]] std::string_view type() const;  // "a text", "a list", ... for messages
};

struct TomlItem {
  std::string key;
  TomlValue value;
};

inline constexpr std::size_t kMaxTomlBytes = 1u << 20;

// The error's message starts with "LINE: ". Text of more than kMaxTomlBytes is refused, as are dates and
// times.
[[nodiscard]] Result<TomlTable> parse_toml(std::string_view text);

// Names of the files <folder>/<name>.toml, sorted; none where there is no such folder.
[[nodiscard]] std::vector<std::string> toml_names(const std::filesystem::path& folder);

}  // namespace kgb
