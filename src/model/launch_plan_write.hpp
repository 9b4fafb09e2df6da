// SPDX-License-Identifier: Apache-2.0
// Writing of recordings as JSON text, whole or in the canonical form that is hashed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/launch_plan.hpp"

namespace kgb {

struct PlanWriteOptions {
  bool canonical = false;  // leaves out files, lines, events and kernel names
  // Integer kernel arguments equal to these are written as "seed" and "offset": random operators only.
  std::optional<std::int64_t> seed, offset;
};
// Compact JSON with sorted keys.
[[nodiscard]] std::string plan_text(const Recording& recording, const PlanWriteOptions& options);

}  // namespace kgb
