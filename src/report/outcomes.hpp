// SPDX-License-Identifier: Apache-2.0
// What statistics are made of: per operator, which samples passed and how fast they were.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "stats/order.hpp"

namespace kgb {

struct Outcome {
  int sample = 0;
  bool passed = false;
  std::optional<double> speedup;  // of a pass: geometric mean over its timed workloads
};

struct OperatorOutcome {
  std::string op, source, family;  // family: empty where the catalogue does not know the operator
  bool no_kernel = false;
  std::vector<Outcome> samples;  // in order; what the judge or the host failed at (infra) is not among them
  [[nodiscard]] std::int64_t passed() const;
  [[nodiscard]] double rate() const;  // share of samples that pass
  // Mean over the samples that pass and are timed; nullopt: there are none.
  [[nodiscard]] std::optional<double> log_speedup() const;
};

// In order of operators. Operators of which nothing was judged are left out.
[[nodiscard]] std::vector<OperatorOutcome> outcomes_of(const RunReport& report);

// Share of passes with its interval: Wilson's where every operator has one sample; else the bootstrap over
// operators, since samples of one operator are not independent.
struct Accuracy {
  std::int64_t passed = 0, judged = 0;  // samples
  Interval share;
};
[[nodiscard]] Accuracy accuracy_of(const std::vector<OperatorOutcome>& outcomes);
// Mean of one number between 0 and 1 for each operator. Where the operators do not differ, the bootstrap says
// nothing, and Wilson's interval stands in for it.
[[nodiscard]] Interval share_interval(const std::vector<double>& shares);

}  // namespace kgb
