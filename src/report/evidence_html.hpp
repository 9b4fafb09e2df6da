// SPDX-License-Identifier: Apache-2.0
// The evidence of one evaluation as HTML, for the page.
#pragma once

#include <string>

#include "report/report.hpp"

namespace kgb::html {

[[nodiscard]] std::string escaped(const std::string& text);
// CSS class of a verdict's colour: pass, fail, policy (not_custom, tampering, unsupported), none (infra).
[[nodiscard]] std::string verdict_class(const std::string& verdict);
[[nodiscard]] std::string anchor(const StoredEvaluation& stored);
[[nodiscard]] std::string evidence(const StoredEvaluation& stored);

}  // namespace kgb::html
