// SPDX-License-Identifier: Apache-2.0
// Turns of two processes that hold graphs on one device, in random order, until the interval of the ratio is
// narrow or time is up.
#pragma once

#include <string>
#include <vector>

#include "judge/case.hpp"
#include "judge/timing.hpp"
#include "model/trial.hpp"
#include "sandbox/worker.hpp"

namespace kgb {

inline constexpr double kDeviceMargin = 0.02;  // differences below it are of no interest

// A process that answers requests for samples; `who` names it in errors.
class Timed {
 public:
  Timed(sandbox::Worker& worker, std::string who) : worker_(worker), who_(std::move(who)) {}
  // Seconds of n replays.
  [[nodiscard]] Result<std::vector<double>> samples(int n);
  // Back to back for so long; of executors alone.
  [[nodiscard]] Result<Sustained> sustain(int ms);

 private:
  sandbox::Worker& worker_;
  std::string who_;
};

// `baseline`: none, the candidate alone.
[[nodiscard]] Result<Series> measure_turns(const Case& open, Timed& candidate, Timed* baseline);

}  // namespace kgb
