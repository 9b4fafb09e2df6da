// SPDX-License-Identifier: Apache-2.0
// A recording and its line in a cassette.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "llm/cassette.hpp"

namespace kgb::llm {

[[nodiscard]] std::string line_of(const Recording& recording);  // with its newline
[[nodiscard]] Result<Recording> recording_of(std::string_view line);

}  // namespace kgb::llm
