// SPDX-License-Identifier: Apache-2.0
// Published tables, which ship as data (catalogue/published/), with rows of the user's runs beside them.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/report.hpp"

namespace kgb {

struct PublishedCell {
  std::optional<double> accuracy, low, high;  // percent; ours with 95 %
  std::optional<double> speedup;              // geometric mean over what passed
  std::optional<double> number;               // of tables about cost
  std::optional<std::int64_t> of;             // operators that ours were judged on
  bool at_least = false;                      // some calls told nothing
};

struct PublishedRow {
  std::string method;
  bool ours = false;
  std::map<std::string, PublishedCell> cells;  // by the column's key
};

struct ProtocolDifference {
  std::string what, published, ours;
  std::string setting, same;  // where every run has this setting so, there is no difference
};

struct PublishedTable {
  std::string name, title, source, read;
  std::string makes;  // what its rows are made of: "accuracy by source", "accuracy by chip", "cost"
  std::vector<std::pair<std::string, std::string>> columns;  // key, title
  std::vector<PublishedRow> rows;
  std::vector<std::string> notes;
  std::vector<ProtocolDifference> differences;
};

// The tables of a folder, by the names of their files; and one of them.
[[nodiscard]] std::vector<std::string> published_names(const std::filesystem::path& folder);
[[nodiscard]] Result<PublishedTable> load_published(const std::filesystem::path& folder,
                                                    const std::string& name);
// Adds the runs' rows, made by the published definitions, and leaves the differences that hold for them.
void add_runs(PublishedTable& table, const std::vector<const RunReport*>& runs);

[[nodiscard]] std::string published_text(const PublishedTable& table);
[[nodiscard]] nlohmann::json published_json(const PublishedTable& table);

}  // namespace kgb
