// SPDX-License-Identifier: Apache-2.0
// Another judge's verdicts beside ours.
#include <fmt/format.h>

#include <algorithm>

#include "report/report.hpp"

namespace kgb {

bool has_recorded(const RunReport& report) {
  return std::any_of(report.evaluations.begin(), report.evaluations.end(),
                     [](const StoredEvaluation& stored) { return !stored.item.recorded.empty(); });
}

bool disagrees(const StoredEvaluation& stored) {
  const Verdict ours = stored.evaluation.verdict;
  if (stored.item.recorded.empty() || ours == Verdict::unsupported || ours == Verdict::infra) return false;
  return (stored.item.recorded == "passed") != (ours == Verdict::pass);
}

std::string disagreements_text(const RunReport& report) {
  if (!has_recorded(report)) return "";
  std::int64_t recorded = 0, other = 0;
  std::string lines;
  for (const StoredEvaluation& stored : report.evaluations) {
    recorded += stored.item.recorded.empty() ? 0 : 1;
    if (!disagrees(stored)) continue;
    ++other;
    const Finding* why = deciding_finding(stored.evaluation);
    lines += fmt::format(
        "  {}\n      recorded  {}: {}\n      here      {}{}\n", stored.evaluation.op, stored.item.recorded,
        stored.item.recorded_evidence, name_of(stored.evaluation.verdict),
        why == nullptr ? ": " + workloads_text(stored.evaluation) + " workloads passed"
                       : ": " + why->message + (why->workload.empty() ? "" : "  (" + why->workload + ")"));
  }
  return fmt::format("verdicts recorded by another judge: {}, of these {} disagree with ours\n{}", recorded,
                     other, lines);
}

}  // namespace kgb
