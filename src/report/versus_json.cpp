// SPDX-License-Identifier: Apache-2.0
// Two candidates as one document.
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/versus.hpp"

namespace kgb {
namespace {

nlohmann::json json_of(const VersusSide& side) {
  return {{"file", side.file},
          {"source_hash", side.source_hash},
          {"verdict", name_of(side.verdict)},
          {"reason", side.reason ? to_json(*side.reason) : nlohmann::json()}};
}

nlohmann::json json_or_null(const std::optional<double>& number) {
  return number && std::isfinite(*number) ? nlohmann::json(*number) : nlohmann::json();
}

// Old, new and their ratio, by the key of each measure.
nlohmann::json json_of(const VersusRow::Work& work) {
  nlohmann::json out = nlohmann::json::object();
  for (const WorkMeasure& measure : work_measures()) {
    const double before = measure.of(work.before), after = measure.of(work.after);
    out[std::string(measure.key)] = {
        {"old", before}, {"new", after}, {"ratio", after > 0 ? nlohmann::json(before / after) : nullptr}};
  }
  return out;
}

nlohmann::json json_of(const VersusRow& row) {
  nlohmann::json out{{"workload", row.workload}, {"description", row.description}};
  if (row.timing)
    out["time"] = {
        {"old_s", json_or_null(row.timing->baseline)},  {"new_s", json_or_null(row.timing->candidate)},
        {"ratio", json_or_null(row.timing->ratio)},     {"low", json_or_null(row.timing->ratio_low)},
        {"high", json_or_null(row.timing->ratio_high)}, {"call", row.timing->call}};
  if (row.work) out["work"] = json_of(*row.work);
  const std::string& why = row.timing ? row.timing->why : row.why;
  if (!why.empty()) out["why"] = why;
  return out;
}

nlohmann::json overall_json(const Versus& versus) {
  if (!both_pass(versus)) return nullptr;
  if (versus.timed) {
    const std::optional<Overall> all = overall_time(versus);
    if (!all) return nullptr;
    return {{"workloads", all->counted},
            {"ratio", all->ratio.estimate},
            {"low", json_or_null(all->ratio.low)},
            {"high", json_or_null(all->ratio.high)},
            {"call", name_of(overall_call(*all))}};
  }
  nlohmann::json out = nlohmann::json::object();
  for (const WorkMeasure& measure : work_measures())
    if (const std::optional<Overall> all = overall_work(versus, measure))
      out[std::string(measure.key)] = {{"workloads", all->counted}, {"ratio", all->ratio.estimate}};
  return out;
}

}  // namespace

nlohmann::json to_json(const Versus& versus) {
  nlohmann::json rows = nlohmann::json::array();
  for (const VersusRow& row : versus.rows) rows.push_back(json_of(row));
  return {{"schema", 1},
          {"kind", "candidates"},
          {"op", versus.op},
          {"chip", versus.chip},
          {"seed", versus.seed},
          {"measure", versus.timed ? "time" : "work"},
          {"old", json_of(versus.before)},
          {"new", json_of(versus.after)},
          {"workloads", rows},
          {"overall", overall_json(versus)}};
}

}  // namespace kgb
