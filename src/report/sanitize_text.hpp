// SPDX-License-Identifier: Apache-2.0
// Findings of the sanitizer as text: what, where in the source, the buffer around the element.
#pragma once

#include <string>
#include <string_view>

#include "model/verdict.hpp"

namespace kgb {

// `source` is the candidate's text, for the line that is shown.
[[nodiscard]] std::string sanitize_text(const Finding& finding, std::string_view source);

// Which findings tell the same story: those of one kind in one kernel.
[[nodiscard]] std::string sanitize_key(const Finding& finding);
// "== race: 12 more in kernel softmax_kernel, at lines 12, 14 and 20": what stands for `more`, none of which
// was printed. They share one key.
[[nodiscard]] std::string folded_text(const std::vector<const Finding*>& more);

}  // namespace kgb
