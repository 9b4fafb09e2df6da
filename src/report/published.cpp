// SPDX-License-Identifier: Apache-2.0
// Rows of published tables, made from runs by the published definitions.
#include "report/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/text.hpp"
#include "report/ledger.hpp"
#include "report/outcomes.hpp"
#include "stats/bootstrap.hpp"
#include "stats/proportion.hpp"

namespace kgb {
namespace {

using Outcomes = std::vector<OperatorOutcome>;
using Run = const RunReport*;

std::string label_of(const RunReport& run) {
  return run.run.contestant + (run.run.model.empty() ? "" : " " + run.run.model);
}

// How a contestant's samples become one number for each operator.
enum class Take {
  mean_of_samples,  // pass@1
  any_of_samples,   // the published pass@k: the union over rounds, with the best speedup
};

std::optional<double> log_speedup(const OperatorOutcome& o, Take take) {
  if (take == Take::mean_of_samples) return o.log_speedup();
  std::optional<double> best;
  for (const Outcome& sample : o.samples)
    if (sample.speedup) best = std::max(best.value_or(*sample.speedup), *sample.speedup);
  return best ? std::optional(std::log(*best)) : std::nullopt;
}

PublishedCell cell_of(const Outcomes& outcomes, Take take) {
  PublishedCell cell;
  cell.of = static_cast<std::int64_t>(outcomes.size());
  if (outcomes.empty()) return cell;
  const auto solved = std::count_if(outcomes.begin(), outcomes.end(),
                                    [](const OperatorOutcome& o) { return o.passed() > 0; });
  const Interval share =
      take == Take::any_of_samples ? wilson(solved, *cell.of) : accuracy_of(outcomes).share;
  cell.accuracy = 100 * share.estimate;
  cell.low = 100 * share.low;
  cell.high = 100 * share.high;
  std::vector<double> logarithms;
  for (const OperatorOutcome& o : outcomes)
    if (const auto logarithm = log_speedup(o, take)) logarithms.push_back(*logarithm);
  if (!logarithms.empty()) cell.speedup = std::exp(mean(logarithms));
  return cell;
}

Outcomes of_source(const Outcomes& outcomes, const std::string& source) {
  Outcomes chosen;
  std::copy_if(outcomes.begin(), outcomes.end(), std::back_inserter(chosen),
               [&source](const OperatorOutcome& o) { return source == "all" || o.source == source; });
  return chosen;
}

std::size_t most_samples(const Outcomes& outcomes) {
  std::size_t most = 0;
  for (const OperatorOutcome& o : outcomes) most = std::max(most, o.samples.size());
  return most;
}

// The takes that a run has, with what its row is called.
std::vector<std::pair<Take, std::string>> takes_of(const Outcomes& outcomes) {
  const std::size_t samples = most_samples(outcomes);
  if (samples < 2) return {{Take::mean_of_samples, ""}};
  return {{Take::mean_of_samples, ", pass@1"}, {Take::any_of_samples, fmt::format(", union@{}", samples)}};
}

void add_by_source(PublishedTable& table, const std::vector<Run>& runs) {
  for (const Run run : runs) {
    const Outcomes outcomes = outcomes_of(*run);
    for (const auto& [take, suffix] : takes_of(outcomes)) {
      PublishedRow row{run->run.id + suffix, true, {}};
      for (const auto& [key, title] : table.columns) row.cells[key] = cell_of(of_source(outcomes, key), take);
      table.rows.push_back(std::move(row));
    }
  }
}

// A contestant's runs on several chips make one row; each of our chips is a column of its own.
void add_by_chip(PublishedTable& table, const std::vector<Run>& runs) {
  std::map<std::string, PublishedRow> rows;
  for (const Run run : runs) {
    const std::string& chip = run->run.chip;
    if (std::none_of(table.columns.begin(), table.columns.end(),
                     [&chip](const auto& column) { return column.first == chip; }))
      table.columns.emplace_back(chip, chip);
    const Outcomes outcomes = of_source(outcomes_of(*run), "aten");
    for (const auto& [take, suffix] : takes_of(outcomes)) {
      // Two runs of one contestant on one chip stay apart.
      std::string name = label_of(*run) + suffix;
      if (const auto found = rows.find(name); found != rows.end() && found->second.cells.contains(chip))
        name += " " + run->run.id;
      rows[name].method = name;
      rows[name].ours = true;
      rows[name].cells[chip] = cell_of(outcomes, take);
    }
  }
  for (auto& [name, row] : rows) table.rows.push_back(std::move(row));
}

void add_cost(PublishedTable& table, const std::vector<Run>& runs) {
  for (const Run run : runs) {
    const Ledger ledger = ledger_of(*run);
    PublishedRow row{run->run.id, true, {}};
    const auto millions = [&ledger](std::optional<double> tokens) {
      PublishedCell cell;
      if (tokens) cell.number = *tokens / 1e6;
      cell.at_least = ledger.unknown_usage > 0;
      return cell;
    };
    if (ledger.calls > ledger.unknown_usage)
      row.cells["tokens"] = millions(static_cast<double>(ledger.tokens()));
    row.cells["tokens_per_success"] = millions(ledger.tokens_per_success());
    if (ledger.wall_s) row.cells["hours"].number = *ledger.wall_s / 3600;
    table.rows.push_back(std::move(row));
  }
}

std::string setting_of(const RunReport& run, const std::string& setting) {
  return setting == "tolerance" ? run.run.tolerance : "";
}

}  // namespace

void add_runs(PublishedTable& table, const std::vector<Run>& runs) {
  if (table.makes == "accuracy by source") add_by_source(table, runs);
  if (table.makes == "accuracy by chip") add_by_chip(table, runs);
  if (table.makes == "cost") add_cost(table, runs);
  std::erase_if(table.differences, [&runs](const ProtocolDifference& d) {
    return !d.setting.empty() && std::all_of(runs.begin(), runs.end(),
                                             [&d](Run run) { return setting_of(*run, d.setting) == d.same; });
  });
  std::vector<std::string> chips;
  for (const Run run : runs)
    if (std::find(chips.begin(), chips.end(), run->run.chip) == chips.end()) chips.push_back(run->run.chip);
  if (table.makes != "accuracy by chip" && !chips.empty())
    table.differences.push_back({"chip", "NVIDIA A100", join(chips, ", "), "", ""});
}

}  // namespace kgb
