// SPDX-License-Identifier: Apache-2.0
// Judging for somebody who waits at a terminal.
#pragma once

#include "base/result.hpp"
#include "judge/judge.hpp"

namespace kgb::app {

// As Judge::judge; a line on a terminal says what is being done, and is gone when the verdict stands there.
[[nodiscard]] Result<Evaluation> judge_told(Judge& judge, JudgeRequest& request);

}  // namespace kgb::app
