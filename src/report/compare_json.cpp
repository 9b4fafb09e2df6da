// SPDX-License-Identifier: Apache-2.0
// A comparison of two runs as one JSON document.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/compare.hpp"

namespace kgb {
namespace {

using nlohmann::json;

json side_json(const Evaluation* evaluation) {
  if (evaluation == nullptr) return nullptr;
  double worst = 0;
  for (const WorkloadResult& w : evaluation->workloads) worst = std::max(worst, w.worst_ratio);
  json times = json::object();
  for (const Timing& t : evaluation->timings)
    if (t.ratio) times[t.workload] = *t.ratio;
  const Finding* why = deciding_finding(*evaluation);
  return {{"verdict", name_of(evaluation->verdict)},
          {"worst_ratio", std::isfinite(worst) ? json(worst) : json("inf")},
          {"ratios", times},
          {"reason", why == nullptr ? "" : why->message}};
}

}  // namespace

json comparison_json(const Comparison& comparison, const RunReport& before, const RunReport& after) {
  json rows = json::array();
  for (const ComparedRow& row : comparison.rows)
    rows.push_back({{"op", row.op},
                    {"sample", row.sample},
                    {"before", side_json(row.before)},
                    {"after", side_json(row.after)},
                    {"regressions", row.regressions},
                    {"gains", row.gains}});
  return {{"schema", 1},
          {"before", before.run.id},
          {"after", after.run.id},
          {"notes", comparison.notes},
          {"regressions", comparison.regressions()},
          {"gains", comparison.gains()},
          {"operators", rows}};
}

}  // namespace kgb
