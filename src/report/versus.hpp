// SPDX-License-Identifier: Apache-2.0
// Two candidates of one operator side by side: their times, or where nothing is a clock the work that the
// virtual machine counts. docs/versus.schema.json is the form of the document.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/counters.hpp"
#include "model/verdict.hpp"
#include "nlohmann/json_fwd.hpp"
#include "stats/order.hpp"

namespace kgb {

// One of the two as the judge saw it.
struct VersusSide {
  std::string file, source_hash;
  Verdict verdict = Verdict::infra;
  std::optional<Finding> reason;  // what decided, where it does not pass
};

// One workload; one of the two is filled.
struct VersusRow {
  std::string workload, description;
  std::optional<Timing> timing;  // ratio: the old candidate's time over the new one's
  struct Work {
    CounterTotals before, after;
  };
  std::optional<Work> work;
  std::string why;  // there is neither
};

struct Versus {
  std::string op, chip, seed;
  bool timed = false;  // else work is compared
  VersusSide before, after;
  std::vector<VersusRow> rows;  // empty where one of the two does not pass
};

// A number of the counters, and how it is called.
struct WorkMeasure {
  std::string_view key, name;
  double (*of)(const CounterTotals&);
};
[[nodiscard]] std::span<const WorkMeasure> work_measures();

struct Overall {
  std::size_t counted = 0;  // workloads that have a ratio
  // Geometric mean of their ratios. Of times with an interval: those of the workloads, taken as independent.
  Interval ratio;
};
// nullopt: no workload has a ratio.
[[nodiscard]] std::optional<Overall> overall_time(const Versus& versus);
[[nodiscard]] std::optional<Overall> overall_work(const Versus& versus, const WorkMeasure& measure);
// Differences of time below 2 % are of no interest, as in the gate fast.
[[nodiscard]] SpeedCall overall_call(const Overall& overall);
[[nodiscard]] bool both_pass(const Versus& versus);

[[nodiscard]] std::string versus_text(const Versus& versus);
[[nodiscard]] nlohmann::json to_json(const Versus& versus);

}  // namespace kgb
