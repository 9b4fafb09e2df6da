// SPDX-License-Identifier: Apache-2.0
// Runs for tests of statistics, written down in a line.
#pragma once

#include <string>
#include <vector>

#include "report/report.hpp"

namespace kgb {

struct Judged {
  std::string op;
  Verdict verdict = Verdict::pass;
  std::vector<double> ratios = {};
  int sample = 0;
};

inline RunReport run_of(const std::string& id, const std::vector<Judged>& judged) {
  RunReport report;
  report.run.id = id;
  report.run.contestant = "one-shot";
  report.run.model = id;
  report.run.chip = "h200";
  for (const Judged& j : judged) {
    StoredEvaluation stored;
    stored.item = {++report.items, j.op, j.sample, ""};
    stored.source = "x = 1\n";
    stored.evaluation.op = j.op;
    stored.evaluation.chip = "h200";
    stored.evaluation.verdict = j.verdict;
    for (const double ratio : j.ratios) {
      Timing timing;
      timing.workload = "s" + std::to_string(stored.evaluation.timings.size());
      timing.ratio = ratio;
      stored.evaluation.timings.push_back(timing);
    }
    report.evaluations.push_back(std::move(stored));
    report.families[j.op] = j.op.substr(0, 5);
  }
  return report;
}

inline ModelCall call_of(std::int64_t item, std::optional<std::int64_t> prompt,
                         std::optional<std::int64_t> completion, std::optional<double> dollars = {}) {
  ModelCall call;
  call.item = item;
  call.status = "ok";
  call.prompt = prompt;
  call.completion = completion;
  call.dollars = dollars;
  call.seconds = 3;
  return call;
}

}  // namespace kgb
