// SPDX-License-Identifier: Apache-2.0
// The file of kgbench tune --tasks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/tuning.hpp"

namespace kgb::app {

// One JSON object a line: "op", optionally "time" (a list of --time-spec texts) and "seed" (a file). `file`
// stands in messages.
[[nodiscard]] Result<std::vector<TuneTask>> tune_tasks_from_json_lines(std::string_view text,
                                                                       const std::string& file,
                                                                       const Catalogue& catalogue);

}  // namespace kgb::app
