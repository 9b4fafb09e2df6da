// SPDX-License-Identifier: Apache-2.0
// How tight the bounds are: what an honest kernel leaves of them, and the smallest error they find
// (docs/cli/tolerance.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "judge/judge.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

// One tolerance, over all workloads of a row.
struct Sensitivity {
  double headroom =
      0;  // the expert's worst error over its bound; infinity: an output that must be exact is not
  std::string worst_at;  // "h3 return[0,7]"
  std::optional<double>
      caught;                // smallest relative error of every element that a workload finds; none up to 1
  bool code_caught = false;  // integers: one code more in one element is found
};

// Outputs of one pair of dtypes.
struct ToleranceRow {
  std::string op, dtype;  // as rows of the screen: "f16 -> f32"
  bool integral = false;  // codes, indices, bools: no relative error
  bool exact = false;     // the bound leaves no room
  std::int64_t elements = 0;
  Sensitivity model, published;
};

struct ToleranceReport {
  struct Skipped {
    std::string op, reason;
  };
  std::vector<ToleranceRow> rows;  // by operator and dtype
  std::vector<Skipped> skipped;
  std::uint64_t seed = 0;
};

// Runs each operator's expert and plants errors into what it gives. An Error is the host's or the oracle's.
[[nodiscard]] Result<ToleranceReport> tolerance(Judge& judge, const std::vector<const Operator*>& operators,
                                                const JudgeRequest& request, int lanes);

[[nodiscard]] std::string tolerance_text(const ToleranceReport& report);
[[nodiscard]] nlohmann::json tolerance_json(const ToleranceReport& report);

}  // namespace kgb
