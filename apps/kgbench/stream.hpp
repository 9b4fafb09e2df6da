// SPDX-License-Identifier: Apache-2.0
// kgbench judge --stream: the judge as a filter of JSON lines. docs/reward-stream.schema.json.
#pragma once

#include <string>

#include "base/result.hpp"
#include "setup.hpp"

namespace kgb::app {

struct StreamOptions {
  bool whole = false;  // results with all evidence, which a policy that is trained must not see
  std::string only;    // one workload, by its id
};

// Reads requests from standard input until its end; writes one line for each as it finishes.
[[nodiscard]] Result<int> judge_stream(const JudgeOptions& options, const StreamOptions& how);

}  // namespace kgb::app
