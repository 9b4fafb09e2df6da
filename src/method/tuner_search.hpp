// SPDX-License-Identifier: Apache-2.0
// The tuner's policy: which point of a space is raced against the best so far. Knows neither judge nor clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "method/tuner_space.hpp"

namespace kgb::method {

// How a proposal did against the incumbent.
enum class Outcome {
  faster,      // proven: on no workload slower, on one at least the whole interval is faster
  not_faster,  // slower, the same, or nobody can tell
  wrong,       // the judge rejects it
};

struct SearchOptions {
  int rounds = 40;         // races at most
  std::uint64_t seed = 0;  // of the order in which directions and jumps are tried
};

// Races `proposal` against `incumbent`. nullopt: no more races (stopped, out of time).
using RacePoints =
    std::function<Result<std::optional<Outcome>>(const Point& proposal, const Point& incumbent)>;

struct Found {
  Point best;
  int races = 0, wrong = 0, steps = 0;  // steps: proposals that became the incumbent
};

// Theory of operation in tuner_search.cpp.
[[nodiscard]] Result<Found> search(const std::vector<Axis>& axes, const SearchOptions& options,
                                   const RacePoints& race);

}  // namespace kgb::method
