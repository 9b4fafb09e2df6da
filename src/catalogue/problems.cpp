// SPDX-License-Identifier: Apache-2.0
// Typed reading of TOML tables with messages.
#include "catalogue/problems.hpp"

#include <algorithm>

namespace kgb {

std::string TableReader::text(std::string_view key, bool required) {
  const TomlValue* value = find(key);
  if (value == nullptr) {
    if (required) problem(nullptr, key, "is missing");
    return {};
  }
  if (const std::string* text = value->text()) {
    if (required && trim(*text).empty()) problem(value, key, "is empty");
    return *text;
  }
  problem(value, key, fmt::format("must be a text, not {}", value->type()));
  return {};
}

std::vector<std::string> TableReader::texts(std::string_view key) {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  if (const std::string* one = value->text()) return {*one};
  std::vector<std::string> out;
  if (const TomlArray* items = value->array()) {
    for (const TomlValue& item : *items) {
      if (const std::string* text = item.text()) {
        out.push_back(*text);
      } else {
        problem(value, key, fmt::format("must hold texts, not {}", item.type()));
      }
    }
    return out;
  }
  problem(value, key, fmt::format("must be a list of texts, not {}", value->type()));
  return {};
}

bool TableReader::flag(std::string_view key, bool fallback) {
  const TomlValue* value = find(key);
  if (value == nullptr) return fallback;
  if (const bool* flag = std::get_if<bool>(&value->data)) return *flag;
  problem(value, key, fmt::format("must be true or false, not {}", value->type()));
  return fallback;
}

double TableReader::number(std::string_view key, double fallback) {
  const TomlValue* value = find(key);
  if (value == nullptr) return fallback;
  if (const auto* integer = std::get_if<std::int64_t>(&value->data)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value->data)) return *real;
  problem(value, key, fmt::format("must be a number, not {}", value->type()));
  return fallback;
}

const TomlTable* TableReader::table(std::string_view key) {
  const TomlValue* value = find(key);
  if (value == nullptr) return nullptr;
  if (const TomlTable* table = value->table()) return table;
  problem(value, key, fmt::format("must be a table, not {}", value->type()));
  return nullptr;
}

std::vector<const TomlValue*> TableReader::tables(std::string_view key) {
  const TomlValue* value = find(key);
  if (value == nullptr) return {};
  const TomlArray* items = value->array();
  std::vector<const TomlValue*> out;
  if (items == nullptr) {
    problem(value, key, fmt::format("must be written as [[{}]]", key));
    return {};
  }
  for (const TomlValue& item : *items) {
    if (item.table() != nullptr) {
      out.push_back(&item);
    } else {
      problem(value, key, fmt::format("must be written as [[{}]]", key));
      return {};
    }
  }
  return out;
}

void TableReader::finish(const std::vector<std::string>& also) {
  std::vector<std::string> known = known_;
  known.insert(known.end(), also.begin(), also.end());
  for (const TomlItem& item : table_.items) {
    if (std::find(known.begin(), known.end(), item.key) != known.end()) continue;
    problem(&item.value, item.key, "unknown key" + did_you_mean(item.key, known));
  }
}

}  // namespace kgb
