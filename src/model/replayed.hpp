// SPDX-License-Identifier: Apache-2.0
// What the replay of a stored plan tells: docs/contracts/wire.md, "Replays".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/verdict.hpp"

namespace kgb {

// A launch of the call that is profiled, in the order of the plan.
struct ReplayedLaunch {
  std::string kernel, file;  // where host code launched it
  int line = 0;
  std::array<std::int64_t, 3> grid{1, 1, 1};
  std::int64_t warps = 0, shared_bytes = 0;     // of a program
  std::int64_t registers = 0, local_bytes = 0;  // of a thread
};

// One kernel, copy or memset of the call; nanoseconds, medians over the replays.
struct ReplayedNode {
  std::string name;  // empty: a copy or memset
  double start_ns = 0, ns = 0;
};

struct Replayed {
  std::string device, driver;
  std::vector<ReplayedLaunch> launches;
  std::vector<ReplayedNode> nodes;  // empty: `untraced` says why
  std::vector<double> call_ns;      // of whole calls, by stamps; empty: `untimed` says why
  std::string untimed, untraced;
  std::vector<Finding> findings;  // that ended the replay
};

// One line of JSON.
[[nodiscard]] std::string to_json_text(const Replayed& replayed);
// A kernel can reach the process that wrote this: numbers are checked.
[[nodiscard]] Result<Replayed> replayed_from_json(std::string_view text);

}  // namespace kgb
