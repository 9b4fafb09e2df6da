// SPDX-License-Identifier: Apache-2.0
// The table in the terminal.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/conditions_text.hpp"
#include "report/report.hpp"
#include "report/statistics.hpp"

namespace kgb {
namespace {

using Row = std::vector<std::string>;

std::string painted(const std::string& text, bool pass, bool colour) {
  return colour ? fmt::format("\x1b[{}m{}\x1b[0m", pass ? 32 : 31, text) : text;
}

std::string speed(const Evaluation& e) {
  const Timing* shown = shown_timing(e);
  const std::string roof = shown == nullptr ? "" : roof_text(*shown);
  return time_text(e) + (roof.empty() ? "" : "; " + roof);
}

// `published`: with a column of do_bench's figures, which stand beside ours and are never mixed with them.
Row row_of(const StoredEvaluation& stored, bool recorded, bool published) {
  const Evaluation& e = stored.evaluation;
  std::string workloads = workloads_text(e);
  Row row{e.op, label_of(e)};
  if (recorded)
    row.push_back(stored.item.recorded.empty() ? "-"
                                               : stored.item.recorded + (disagrees(stored) ? " !" : ""));
  row.insert(row.end(),
             {worst_text(e), workloads, targets_text(e), e.no_kernel ? "no honest kernel" : speed(e)});
  if (published) row.insert(row.end() - 1, published_text(e));
  return row;
}

bool any_published(const RunReport& report) {
  return std::any_of(report.evaluations.begin(), report.evaluations.end(),
                     [](const StoredEvaluation& stored) {
                       const Timing* shown = shown_timing(stored.evaluation);
                       return shown != nullptr && shown->published.has_value();
                     });
}

}  // namespace

std::string report_table(const RunReport& report, const ReportStyle& style) {
  const bool recorded = has_recorded(report);
  std::vector<Row> rows{
      {"operator", "verdict", "worst err / bound", "workloads", "targets compiled", "time"}};
  if (recorded) rows.front().insert(rows.front().begin() + 2, "recorded");
  const bool published = any_published(report);
  if (published) rows.front().insert(rows.front().end() - 1, "do_bench");
  for (const StoredEvaluation& stored : report.evaluations)
    rows.push_back(row_of(stored, recorded, published));
  const std::size_t columns = rows.front().size();
  std::vector<std::size_t> widths(columns);
  for (const Row& row : rows)
    for (std::size_t c = 0; c + 1 < columns; ++c)
      widths[c] = std::min<std::size_t>(std::max(widths[c], row[c].size()), 60);
  const RunInfo& run = report.run;
  std::string out = fmt::format("kgbench {}  {}  suite {}  chip {}  tiers {}  tolerance {}  {}{}{}seed {}\n",
                                run.version, run.contestant, run.suite, run.chip, run.tiers, run.tolerance,
                                run.profile == "careful" ? "" : "profile " + run.profile + "  ",
                                run.mode == "plan" ? "" : "mode " + run.mode + "  ",
                                run.against.empty() ? "" : "against " + run.against + "  ", run.seed);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    out += "  ";
    for (std::size_t c = 0; c + 1 < columns; ++c) {
      const std::string cell = fmt::format("{:<{}}", rows[r][c].substr(0, 60), widths[c]);
      out += (c == 1 && r > 0
                  ? painted(cell, report.evaluations[r - 1].evaluation.verdict == Verdict::pass, style.colour)
                  : cell) +
             "  ";
    }
    out += rows[r][columns - 1];
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
    if (r == 0) continue;
    const Evaluation& e = report.evaluations[r - 1].evaluation;
    if (const Finding* why = deciding_finding(e); why != nullptr)
      out +=
          fmt::format("      {}{}\n", why->message, why->workload.empty() ? "" : "  (" + why->workload + ")");
  }
  return out + disagreements_text(report) + statistics_text(report) + headline(report) + '\n';
}

}  // namespace kgb
