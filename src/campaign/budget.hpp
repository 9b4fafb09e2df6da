// SPDX-License-Identifier: Apache-2.0
// What a run may use up, and what it has used. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "llm/usage.hpp"

namespace kgb {

struct BudgetLimits {
  std::optional<std::int64_t> tokens;  // prompt and completion together
  std::optional<double> dollars, hours;
};

class Budget {
 public:
  // `run`: of the whole run; `item`: of each operator and sample. Tokens and money used
  // before (a resumed run) count; hours are those of this invocation.
  Budget(BudgetLimits run, BudgetLimits item, const Clock& clock = system_clock());

  void begin(std::int64_t item);  // its time starts
  // `dollars` nullopt: the price is unknown. `estimate`: tokens by the length of the texts, taken where the
  // server told none, so that a silent server cannot spend without end.
  void add(std::int64_t item, const llm::Usage& usage, std::optional<double> dollars, std::int64_t estimate);
  // Which budget is spent, for people: "the run's budget of 100000 tokens is spent"; empty: none.
  [[nodiscard]] std::string spent(std::int64_t item) const;
  [[nodiscard]] std::string run_spent() const;

 private:
  struct Used {
    std::int64_t tokens = 0;
    double dollars = 0;
    std::optional<Steady::time_point> since;
  };
  [[nodiscard]] std::string over(const Used& used, const BudgetLimits& limits,
                                 const std::string& whose) const;

  BudgetLimits run_, item_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  Used all_;
  std::map<std::int64_t, Used> items_;
};

}  // namespace kgb
