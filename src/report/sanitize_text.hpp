// SPDX-License-Identifier: Apache-2.0
// Findings of the sanitizer as text: what, where in the source, the buffer around the element.
#pragma once

#include <string>
#include <string_view>

#include "model/verdict.hpp"

namespace kgb {

// `source` is the candidate's text, for the line that is shown.
[[nodiscard]] std::string sanitize_text(const Finding& finding, std::string_view source);

}  // namespace kgb
