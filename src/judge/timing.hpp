// SPDX-License-Identifier: Apache-2.0
// What the gate fast does alike on every chip: which workloads are timed, a series of turns, what it says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "judge/case.hpp"

namespace kgb {

inline constexpr int kTimedTrial = 1000;  // value sets of timed series: apart from those of the correct gate

// The value set of a timed plan: what host code read holds for one set alone.
[[nodiscard]] int timed_trial(const Job& job);

// The workloads worth timing: those that the request names; else of entries that give no view, heaviest
// weight, then most bytes; edge workloads say nothing. `with_baseline`: only entries that have one.
[[nodiscard]] std::vector<Job*> timed_jobs(Case& open, const Catalogue& catalogue, bool with_baseline);

// Turns of candidate and baseline; seconds. `ratio`: baseline over candidate, one of each turn.
struct Series {
  std::vector<double> candidate, baseline, ratio;
  // The 95 % interval of the median ratio is narrower than `width`, relative to it.
  [[nodiscard]] bool narrow(double width) const;
  // The interval already says faster, slower or the same.
  [[nodiscard]] bool decided(double margin) const;
};

// A coin that candidates cannot foresee, for the order of a turn and the like.
[[nodiscard]] std::uint32_t turn_coin(const Case& open, std::size_t turn);

// `margin`: differences below it are of no interest. Without turns of a baseline that does
// anything the call is "cannot tell".
[[nodiscard]] Timing timing_of(const Job& job, const Series& series, const std::string& baseline,
                               double margin);

// A workload that was not timed, and why.
[[nodiscard]] Timing untimed(const Job& job, const std::string& why);

// Whether the candidate's median is faster than `bytes` at `bytes_per_second` can be, which is a finding.
// Never where the entry may answer with a view, for which nothing has to move.
bool note_too_fast(const Entry& entry, Job& job, const Series& series, double bytes, double bytes_per_second);

}  // namespace kgb
