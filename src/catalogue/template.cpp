// SPDX-License-Identifier: Apache-2.0
// Reads workload tables: the keys of the table itself, then its arguments by their schema types.
#include "catalogue/template.hpp"

#include <algorithm>
#include <set>

#include "catalogue/template_argument.hpp"

namespace kgb {
namespace {

constexpr std::string_view kTiers[] = {"smoke", "full", "published"};
constexpr int kMaxHidden = 64;

// The parameter that a key names, in the first of the template's entries that has it.
const Parameter* parameter_of(std::string_view name, const WorkloadTemplate& out,
                              const EntrySchemas& entries) {
  for (const std::string& wanted : out.entries) {
    for (const auto& [entry, schema] : entries) {
      if (entry != wanted) continue;
      if (const Parameter* parameter = schema->find(name)) return parameter;
    }
  }
  return nullptr;
}

void read_entries(TableReader& reader, const EntrySchemas& entries, WorkloadTemplate& out) {
  const TomlValue* given = reader.find("entry");
  out.entries = reader.texts("entry");
  std::vector<std::string> known;
  for (const auto& [name, schema] : entries) known.push_back(name);
  if (given == nullptr && !known.empty()) out.entries = {known.front()};
  for (const std::string& name : out.entries) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      reader.problem(
          given, "entry",
          fmt::format("{} is no entry of this card{}", in_quotes(name), did_you_mean(name, known)));
    }
  }
  if (given != nullptr && out.entries.empty()) reader.problem(given, "entry", "names no entry");
}

void read_tier(TableReader& reader, bool hidden, WorkloadTemplate& out) {
  if (hidden) {
    out.tier = "hidden";
    const TomlValue* given = reader.find("count");
    const double count = reader.number("count", 1);
    if (!(count >= 1 && count <= kMaxHidden) || count != static_cast<int>(count)) {
      reader.problem(given, "count", fmt::format("must be a whole number from 1 to {}", kMaxHidden));
      return;
    }
    out.count = static_cast<int>(count);
    return;
  }
  const TomlValue* given = reader.find("tier");
  out.tier = reader.text("tier", true);
  if (!out.tier.empty() && std::find(std::begin(kTiers), std::end(kTiers), out.tier) == std::end(kTiers)) {
    reader.problem(given, "tier",
                   fmt::format("{} is no tier: smoke, full or published", in_quotes(out.tier)));
  }
}

// One table of `zip`. Every list must have the same length.
void read_zip(const TomlTable& table, TableReader& reader, const EntrySchemas& entries,
              WorkloadTemplate& out) {
  ZipTemplate zip;
  for (const TomlItem& item : table.items) {
    const std::string key = "zip." + item.key;
    const TomlArray* rows = item.value.array();
    if (rows == nullptr || rows->empty()) {
      reader.problem(&item.value, key, "must be a list with at least one value");
      continue;
    }
    if (zip.rows == 0) zip.rows = rows->size();
    if (rows->size() != zip.rows) {
      reader.problem(&item.value, key,
                     fmt::format("has {} values, the first list has {}", rows->size(), zip.rows));
      continue;
    }
    ZipColumn column{item.key, item.value.line, {}};
    for (const TomlValue& row : *rows) {
      column.rows.push_back(read_single(item.key, row, item.value.line, parameter_of(item.key, out, entries),
                                        reader.path(key), reader.problems()));
    }
    zip.columns.push_back(std::move(column));
  }
  if (!zip.columns.empty()) out.zips.push_back(std::move(zip));
}

void read_zips(TableReader& reader, const EntrySchemas& entries, WorkloadTemplate& out) {
  const TomlValue* value = reader.find("zip");
  if (value == nullptr) return;
  if (const TomlTable* one = value->table()) return read_zip(*one, reader, entries, out);
  const TomlArray* several = value->array();
  if (several == nullptr) return reader.problem(value, "zip", "must be a table of lists");
  for (const TomlValue& item : *several) {
    if (item.table() == nullptr) return reader.problem(value, "zip", "must be a table of lists");
    read_zip(*item.table(), reader, entries, out);
  }
}

void read_variables(TableReader& reader, WorkloadTemplate& out) {
  const TomlTable* table = reader.table("let");
  if (table == nullptr) return;
  for (const TomlItem& item : table->items) {
    out.variables.push_back(
        read_argument(item.key, item.value, nullptr, reader.path("let." + item.key), reader.problems()));
  }
}

std::optional<Expression> read_when(TableReader& reader) {
  const TomlValue* value = reader.find("when");
  const std::string text = reader.text("when");
  if (text.empty()) return std::nullopt;
  auto parsed = Expression::parse(text);
  if (!parsed.ok()) {
    reader.problem(value, "when", parsed.error().message);
    return std::nullopt;
  }
  return std::move(parsed).value();
}

}  // namespace

std::string read_thinned(TableReader& reader) {
  const TomlValue* given = reader.find("thinned");
  const std::string text = reader.text("thinned");
  if (given == nullptr) return text;
  const std::size_t colon = text.find(": ");
  if (colon == std::string::npos || colon == 0 || colon + 2 == text.size() ||
      text.find('\n') != std::string::npos)
    reader.problem(given, "thinned",
                   "must say what is left out and why, in one line: \"the two largest shapes cut to a sixth: "
                   "they add no case\"");
  return text;
}

namespace {

// A key that is a setting of the table and also an argument's name means the argument when it holds a table:
// `weight = { shape = ... }`.
bool is_setting(const TomlItem& item) {
  static const std::set<std::string_view> settings{"tier", "entry", "weight", "edge", "flush",  "count",
                                                   "zip",  "let",   "when",   "note", "thinned"};
  if (!settings.contains(item.key)) return false;
  return item.value.table() == nullptr || item.key == "zip" || item.key == "let";
}

void read_arguments(TableReader& reader, const EntrySchemas& entries, WorkloadTemplate& out) {
  std::vector<std::string> known{"tier", "entry", "weight", "edge", "flush",
                                 "zip",  "let",   "when",   "note", "thinned"};
  for (const auto& [name, schema] : entries) {
    if (std::find(out.entries.begin(), out.entries.end(), name) == out.entries.end()) continue;
    for (const Parameter& parameter : schema->parameters) known.push_back(parameter.name);
  }
  for (const TomlItem& item : reader.raw().items) {
    if (is_setting(item)) continue;
    const Parameter* parameter = parameter_of(item.key, out, entries);
    if (parameter == nullptr) {
      reader.problem(
          &item.value, item.key,
          fmt::format("is no argument of {}{}", out.entries.empty() ? "the entry" : join(out.entries, ", "),
                      did_you_mean(item.key, known)));
      continue;
    }
    out.args.push_back(
        read_argument(item.key, item.value, parameter, reader.path(item.key), reader.problems()));
  }
}

}  // namespace

WorkloadTemplate read_template(const TomlTable& table, int line, const std::string& where, bool hidden,
                               const EntrySchemas& entries, Problems& problems) {
  WorkloadTemplate out;
  out.where = where;
  out.line = line;
  TableReader reader(table, line, where, problems);
  read_tier(reader, hidden, out);
  read_entries(reader, entries, out);
  const TomlValue* weight = table.find("weight");
  if (weight == nullptr || weight->table() == nullptr) {
    out.weight = reader.number("weight", 1);
    if (!(out.weight >= 0 && out.weight <= 1e6))
      reader.problem(weight, "weight", "must lie between 0 and 1e6");
  }
  out.edge = reader.flag("edge", false);
  out.flush = reader.flag("flush", false);
  out.when = read_when(reader);
  (void)reader.text("note");
  if (const TomlValue* given = reader.find("thinned"); given != nullptr && given->table() == nullptr) {
    out.thinned = read_thinned(reader);
    if (out.tier != "full")
      reader.problem(given, "thinned", "belongs to the tier full, which holds the published grid");
  }
  read_zips(reader, entries, out);
  read_variables(reader, out);
  read_arguments(reader, entries, out);
  return out;
}

}  // namespace kgb
