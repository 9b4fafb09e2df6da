// SPDX-License-Identifier: Apache-2.0
// Gathers a run's evaluations by operator.
#include "report/outcomes.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/operator_name.hpp"
#include "stats/bootstrap.hpp"
#include "stats/proportion.hpp"

namespace kgb {

std::int64_t OperatorOutcome::passed() const {
  return std::count_if(samples.begin(), samples.end(), [](const Outcome& o) { return o.passed; });
}

double OperatorOutcome::rate() const {
  return static_cast<double>(passed()) / static_cast<double>(samples.size());
}

std::optional<double> OperatorOutcome::log_speedup() const {
  std::vector<double> logarithms;
  for (const Outcome& o : samples)
    if (o.speedup) logarithms.push_back(std::log(*o.speedup));
  return logarithms.empty() ? std::nullopt : std::optional(mean(logarithms));
}

std::vector<OperatorOutcome> outcomes_of(const RunReport& report) {
  std::map<std::string, OperatorOutcome> by_operator;
  for (const StoredEvaluation& stored : report.evaluations) {
    const Evaluation& e = stored.evaluation;
    if (e.verdict == Verdict::infra) continue;
    OperatorOutcome& outcome = by_operator[e.op];
    outcome.op = e.op;
    outcome.source = source_of(e.op);
    if (const auto family = report.families.find(e.op); family != report.families.end())
      outcome.family = family->second;
    outcome.no_kernel = e.no_kernel;
    const bool passed = e.verdict == Verdict::pass;
    outcome.samples.push_back({stored.item.sample, passed, passed ? mean_speedup(e) : std::nullopt});
  }
  std::vector<OperatorOutcome> all;
  for (auto& [op, outcome] : by_operator) {
    std::sort(outcome.samples.begin(), outcome.samples.end(),
              [](const Outcome& a, const Outcome& b) { return a.sample < b.sample; });
    all.push_back(std::move(outcome));
  }
  return all;
}

Interval share_interval(const std::vector<double>& shares) {
  if (const std::optional<Interval> interval = bootstrap_mean(shares)) return *interval;
  const double share = mean(shares);
  const auto n = static_cast<std::int64_t>(shares.size());
  Interval stand_in = wilson(std::llround(share * static_cast<double>(n)), n);
  stand_in.estimate = share;
  return stand_in;
}

Accuracy accuracy_of(const std::vector<OperatorOutcome>& outcomes) {
  Accuracy accuracy;
  std::vector<double> rates;
  bool one_each = true;
  for (const OperatorOutcome& o : outcomes) {
    accuracy.passed += o.passed();
    accuracy.judged += static_cast<std::int64_t>(o.samples.size());
    one_each = one_each && o.samples.size() == 1;
    rates.push_back(o.rate());
  }
  accuracy.share = one_each ? wilson(accuracy.passed, accuracy.judged) : share_interval(rates);
  return accuracy;
}

}  // namespace kgb
