// SPDX-License-Identifier: Apache-2.0
// An evaluation as its contestant reads it. Whatever goes back to whoever wrote a candidate (a model, an
// agent, a client of a server) goes through here: of hidden workloads it holds no seed, shape, dtype or
// value.
#pragma once

#include <string>

#include "model/verdict.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

// Verdict, reason with its place in the candidate's file, what to do about it, workloads passed, times.
[[nodiscard]] std::string feedback_text(const Evaluation& evaluation);
// The same under stable names: docs/contracts/feedback.md.
[[nodiscard]] nlohmann::json feedback_json(const Evaluation& evaluation);

}  // namespace kgb
