// SPDX-License-Identifier: Apache-2.0
// kgbench judge --stream: the judge as a filter of JSON lines. docs/reward-stream.schema.json.
#pragma once

#include "base/result.hpp"
#include "setup.hpp"

namespace kgb::app {

// Reads requests from standard input until its end; writes one line for each as it finishes.
[[nodiscard]] Result<int> judge_stream(const JudgeOptions& options);

}  // namespace kgb::app
