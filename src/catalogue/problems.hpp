// SPDX-License-Identifier: Apache-2.0
// Collects everything that is wrong with the catalogue: one line "file:line: key: what is wrong" each. Of an
// option (its name stands for the file) there is no line: "--name: key: what is wrong".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "catalogue/toml.hpp"
#include "fmt/format.h"

namespace kgb {

// More would be the same mistake over and over.
inline constexpr std::size_t kMaxProblemsPerFile = 20;

class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}

  void add(int line, std::string_view key, std::string_view what) {
    if (lines_.size() >= kMaxProblemsPerFile) return;
    const std::string place = is_option(file_) ? file_ : fmt::format("{}:{}", file_, line);
    lines_.push_back(key.empty() ? fmt::format("{}: {}", place, what)
                                 : fmt::format("{}: {}: {}", place, key, what));
  }
  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }
  [[nodiscard]] static bool is_option(std::string_view file) { return file.starts_with("--"); }

 private:
  std::string file_;
  std::vector<std::string> lines_;
};

// Typed access to one table that reports what does not fit, and keys that nobody asked for.
class TableReader {
 public:
  TableReader(const TomlTable& table, int line, std::string where, Problems& problems)
      : table_(table), line_(line), where_(std::move(where)), problems_(problems) {}

  [[nodiscard]] const TomlValue* find(std::string_view key) {
    known_.emplace_back(key);
    return table_.find(key);
  }
  [[nodiscard]] std::string text(std::string_view key, bool required = false);
  [[nodiscard]] std::vector<std::string> texts(std::string_view key);  // one text counts as a list of one
  [[nodiscard]] bool flag(std::string_view key, bool fallback);
  [[nodiscard]] double number(std::string_view key, double fallback);
  [[nodiscard]] const TomlTable* table(std::string_view key);
  // The tables of [[key]].
  [[nodiscard]] std::vector<const TomlValue*> tables(std::string_view key);
  // Reports every key that was not asked for; `also` are keys that are fine.
  void finish(const std::vector<std::string>& also = {});

  void problem(const TomlValue* at, std::string_view key, std::string_view what) {
    problems_.add(at != nullptr ? at->line : line_, path(key), what);
  }
  [[nodiscard]] std::string path(std::string_view key) const {
    if (where_.empty()) return std::string(key);
    return key.empty() ? where_ : fmt::format("{}.{}", where_, key);
  }
  [[nodiscard]] Problems& problems() { return problems_; }
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] const TomlTable& raw() const { return table_; }

 private:
  const TomlTable& table_;
  int line_;
  std::string where_;
  Problems& problems_;
  std::vector<std::string> known_;
};

}  // namespace kgb
