// SPDX-License-Identifier: Apache-2.0
// The turns: docs/timing.md, "Candidate against baseline".
#include "judge/turns.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "stats/order.hpp"

namespace kgb {
namespace {

// When to stop. The device is nobody else's meanwhile.
struct Effort {
  int samples;  // in a turn, of each
  std::size_t fewest_turns;
  double budget_s;  // per workload
  double narrow;    // relative width of the interval at which measuring stops
};
constexpr Effort kCareful{10, 11, 4, 0.01}, kQuick{5, 9, 0.5, 0.05};
constexpr std::size_t kMostTurns = 201, kWarmUps = 1;
constexpr Millis kSampleLimit{120'000};

// One turn: a burst of `samples` of each, in random order.
Status take_turn(const Case& open, std::size_t turn, int samples, Series& series, Timed& candidate,
                 Timed* baseline) {
  const bool candidate_first = (turn_coin(open, turn) & 1) != 0;
  std::vector<double> mine, other;
  for (const bool candidate_now : {candidate_first, !candidate_first}) {
    if (candidate_now) {
      KGB_TRY(mine, candidate.samples(samples));
    } else if (baseline != nullptr) {
      KGB_TRY(other, baseline->samples(samples));
    }
  }
  if (turn < kWarmUps) return ok_status();
  series.candidate.push_back(median(mine));
  if (baseline == nullptr) return ok_status();
  series.baseline.push_back(median(other));
  series.ratio.push_back(series.baseline.back() / std::max(series.candidate.back(), 1e-9));
  return ok_status();
}

}  // namespace

Result<std::vector<double>> Timed::samples(int n) {
  KGB_TRY(const sandbox::Answer answer, worker_.ask(samples_request_text(n, 1), {}, kSampleLimit));
  if (answer.loss) return host_error(who_ + " " + answer.loss->finished.describe());
  KGB_TRY(std::vector<double> ns, samples_from_json(answer.frame.json));
  for (double& t : ns) t *= 1e-9;
  return ns;
}

Result<Sustained> Timed::sustain(int ms) {
  KGB_TRY(const sandbox::Answer answer, worker_.ask(sustain_request_text(ms, 1), {}, kSampleLimit));
  if (answer.loss) return host_error(who_ + " " + answer.loss->finished.describe());
  return sustained_from_json(answer.frame.json);
}

Result<Series> measure_turns(const Case& open, Timed& candidate, Timed* baseline) {
  Series series;
  const auto start = Steady::now();
  const Effort& effort = open.quick() ? kQuick : kCareful;
  for (std::size_t turn = 0; turn < kMostTurns + kWarmUps && !open.stopped(); ++turn) {
    KGB_CHECK(take_turn(open, turn, effort.samples, series, candidate, baseline));
    const bool enough = series.candidate.size() >= effort.fewest_turns;
    const bool narrow = baseline == nullptr || series.narrow(effort.narrow) ||
                        (open.call_is_enough() && series.decided(kDeviceMargin));
    if (enough && (narrow || 1e-3 * static_cast<double>(millis_since(start)) > effort.budget_s)) break;
  }
  return series;
}

}  // namespace kgb
