// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: what changed from one to the other, and what became worse.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "nlohmann/json_fwd.hpp"
#include "report/report.hpp"

namespace kgb {

// One operator (and sample) in both runs; a side that has not judged it is empty.
struct ComparedRow {
  std::string op;
  int sample = 0;
  const Evaluation* before = nullptr;
  const Evaluation* after = nullptr;
  // Why this is a regression: it passed and does not now, a workload passed and does not now, it is surely
  // slower. Empty: none.
  std::vector<std::string> regressions;
  std::vector<std::string> gains;   // the same, the other way round
  [[nodiscard]] bool same() const;  // verdicts are equal and nothing became better or worse
};

struct Comparison {
  std::vector<ComparedRow> rows;   // in order of operator and sample
  std::vector<std::string> notes;  // what the runs do not have in common: seeds, tiers, tolerance
  [[nodiscard]] std::size_t regressions() const;
  [[nodiscard]] std::size_t gains() const;
};

// Both reports must outlive the result. A pass that became `infra` or was not judged again counts as a
// regression: what cannot be shown to hold does not. Workloads are compared by id: those of the cards always,
// hidden ones where both runs drew them with one seed.
[[nodiscard]] Comparison compare_runs(const RunReport& before, const RunReport& after);

[[nodiscard]] std::string comparison_text(const Comparison& comparison, const RunReport& before,
                                          const RunReport& after);
[[nodiscard]] nlohmann::json comparison_json(const Comparison& comparison, const RunReport& before,
                                             const RunReport& after);

}  // namespace kgb
