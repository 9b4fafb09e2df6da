// SPDX-License-Identifier: Apache-2.0
// Contestants beside each other: which is better, where, and whether chance would do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/ledger.hpp"
#include "report/outcomes.hpp"

namespace kgb {

// Ends of intervals are NaN where nothing can be said about them.
struct Contestant {
  std::string name;   // the run's, as its folder is called
  std::string label;  // contestant and model: what runs on other chips have in common
  std::string chip;
  std::vector<OperatorOutcome> outcomes;
  Accuracy accuracy;
  std::optional<Interval> speedup;  // geometric mean over what passed and was timed
  Ledger ledger;
};

// Two contestants on the operators that both were judged on.
struct Duel {
  std::size_t first = 0, second = 0;  // places in `contestants`
  std::int64_t operators = 0;
  std::int64_t only_first = 0, only_second = 0;  // operators that one solves more often
  Interval difference;                           // of accuracies, first minus second
  bool one_sample = true;                        // McNemar's test; else the signed-rank test over operators
  double p = 1, p_corrected = 1;                 // accuracy; corrected over all duels
  std::int64_t matched = 0;                      // operators that both solved and that are timed for both
  Interval first_speed, second_speed;            // geometric means over them
  std::optional<Interval> speed_ratio;           // first over second; nullopt: too few are matched
  double speed_p = 1, speed_p_corrected = 1;     // signed-rank test over the log ratios
};

// How contestants rank by accuracy on one source or chip against another.
struct RankAgreement {
  std::string first, second;
  std::size_t contestants = 0;
  double spearman = 0, kendall = 0, p = 1;
};

// The family that the contestants together do worst on.
struct WeakestFamily {
  std::string family;
  std::vector<std::pair<std::int64_t, std::int64_t>> passed_of;  // in order of contestants
};

struct Contest {
  std::vector<Contestant> contestants;
  std::vector<Duel> duels;  // every pair
  std::vector<RankAgreement> by_source, by_chip;
  std::optional<WeakestFamily> weakest;  // nullopt: no family has three operators, or none fails
  std::vector<std::size_t> frontier;     // those that no other one beats in tokens per success and accuracy
};
[[nodiscard]] Contest contest_of(const std::vector<const RunReport*>& runs);

// Two: a column each and the difference. More: a line each, then tables of pairs.
[[nodiscard]] std::string contest_text(const Contest& contest);
[[nodiscard]] nlohmann::json contest_json(const Contest& contest);

}  // namespace kgb
