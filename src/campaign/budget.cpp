// SPDX-License-Identifier: Apache-2.0
// Budgets of a run.
#include "campaign/budget.hpp"

#include <fmt/format.h>

namespace kgb {

Budget::Budget(BudgetLimits run, BudgetLimits item, const Clock& clock)
    : run_(run), item_(item), clock_(clock) {
  all_.since = clock_.steady();
}

void Budget::begin(std::int64_t item) {
  const std::lock_guard lock(mutex_);
  items_[item].since = clock_.steady();
}

void Budget::add(std::int64_t item, const llm::Usage& usage, std::optional<double> dollars,
                 std::int64_t estimate) {
  const std::lock_guard lock(mutex_);
  const std::int64_t tokens = usage.known ? usage.prompt + usage.completion : estimate;
  for (Used* used : {&all_, &items_[item]}) {
    used->tokens += tokens;
    used->dollars += dollars.value_or(0);
  }
}

std::string Budget::over(const Used& used, const BudgetLimits& limits, const std::string& whose) const {
  if (limits.tokens && used.tokens >= *limits.tokens)
    return fmt::format("{} budget of {} tokens is spent", whose, *limits.tokens);
  if (limits.dollars && used.dollars >= *limits.dollars)
    return fmt::format("{} budget of {:.2f} dollars is spent", whose, *limits.dollars);
  if (limits.hours && used.since &&
      std::chrono::duration<double>(clock_.steady() - *used.since).count() >= *limits.hours * 3600)
    return fmt::format("{} budget of {:g} hours is spent", whose, *limits.hours);
  return {};
}

std::string Budget::run_spent() const {
  const std::lock_guard lock(mutex_);
  return over(all_, run_, "the run's");
}

std::string Budget::spent(std::int64_t item) const {
  const std::lock_guard lock(mutex_);
  if (const std::string run = over(all_, run_, "the run's"); !run.empty()) return run;
  const auto found = items_.find(item);
  return found == items_.end() ? std::string() : over(found->second, item_, "the operator's");
}

}  // namespace kgb
