// SPDX-License-Identifier: Apache-2.0
// One row after another into a table, and columns that may be NULL.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <string>

namespace kgb {

// A statement with the values of one row after another.
class Rows {
 public:
  Rows(SQLite::Database& db, const char* sql) : statement_(db, sql) {}
  template <typename... Values>
  void add(const Values&... values) {
    int column = 0;
    (bind(++column, values), ...);
    statement_.exec();
    statement_.reset();
  }

 private:
  void bind(int column, const std::string& text) { statement_.bind(column, text); }
  void bind(int column, std::int64_t number) { statement_.bind(column, number); }
  void bind(int column, std::uint64_t number) { statement_.bind(column, static_cast<std::int64_t>(number)); }
  void bind(int column, int number) { statement_.bind(column, number); }
  void bind(int column, double number) { statement_.bind(column, number); }
  template <typename T>
  void bind(int column, const std::optional<T>& value) {
    if (value)
      bind(column, *value);
    else
      statement_.bind(column);  // NULL
  }
  SQLite::Statement statement_;
};

// The next columns of a row, in order.
class Columns {
 public:
  explicit Columns(const SQLite::Statement& row) : row_(row) {}
  void read(std::string& out) { out = row_.getColumn(at_++).getString(); }
  void read(std::int64_t& out) { out = row_.getColumn(at_++).getInt64(); }
  void read(int& out) { out = row_.getColumn(at_++).getInt(); }
  void read(bool& out) { out = row_.getColumn(at_++).getInt() != 0; }
  void read(double& out) { out = row_.getColumn(at_++).getDouble(); }
  template <typename T>
  void read(std::optional<T>& out) {
    if (row_.getColumn(at_).isNull()) {
      out.reset();
      ++at_;
      return;
    }
    read(out.emplace());
  }
  template <typename... Out>
  void all(Out&... out) {
    (read(out), ...);
  }

 private:
  const SQLite::Statement& row_;
  int at_ = 0;
};

}  // namespace kgb
