// SPDX-License-Identifier: Apache-2.0
// A published table with our rows, for the terminal.
#include <fmt/format.h>

#include <algorithm>

#include "report/published.hpp"

namespace kgb {
namespace {

std::string cell_text(const PublishedCell& cell) {
  if (cell.number) return fmt::format("{}{:.4g}", cell.at_least ? ">= " : "", *cell.number);
  if (!cell.accuracy) return "-";
  std::string text = fmt::format("{:.0f}", *cell.accuracy);
  if (cell.low && cell.high) text += fmt::format(" [{:.0f}, {:.0f}]", *cell.low, *cell.high);
  if (cell.speedup) text += fmt::format(" / {:.2f}", *cell.speedup);
  if (cell.of) text += fmt::format("  of {}", *cell.of);
  return text;
}

std::vector<std::string> row_text(const PublishedTable& table, const PublishedRow& row) {
  std::vector<std::string> cells{row.ours ? "ours" : "published", row.method};
  for (const auto& [key, title] : table.columns) {
    const auto found = row.cells.find(key);
    cells.push_back(found == row.cells.end() ? "-" : cell_text(found->second));
  }
  return cells;
}

}  // namespace

std::string published_text(const PublishedTable& table) {
  std::vector<std::vector<std::string>> rows{{"", "method"}};
  for (const auto& [key, title] : table.columns) rows[0].push_back(title);
  for (const PublishedRow& row : table.rows) rows.push_back(row_text(table, row));
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string out = fmt::format("{}\nsource: {}; read {}\n\n", table.title, table.source, table.read);
  for (const auto& row : rows) {
    out += "  ";
    for (std::size_t c = 0; c < row.size(); ++c) out += fmt::format("{:<{}}  ", row[c], widths[c]);
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  out += "\nOur rows are not made as the published ones; they differ in:\n";
  for (const ProtocolDifference& d : table.differences)
    out += fmt::format("  {}\n    published: {}\n    ours:      {}\n", d.what, d.published, d.ours);
  if (!table.notes.empty()) out += "Of the published rows:\n";
  for (const std::string& note : table.notes) out += "  " + note + '\n';
  return out;
}

}  // namespace kgb
