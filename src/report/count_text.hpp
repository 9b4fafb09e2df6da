// SPDX-License-Identifier: Apache-2.0
// Counters of one call as text: work, traffic, arguments, loops, and the place under each chip's roofs.
#pragma once

#include <string>
#include <vector>

#include "catalogue/error_model.hpp"
#include "catalogue/roofline.hpp"
#include "store/store.hpp"

namespace kgb {

struct CountReport {
  CountedCall call;
  Cost card;  // what the operator's card expects of the call
  std::vector<Roofline> rooflines;
};

[[nodiscard]] std::string count_text(const CountReport& report);
// The same in one line: workload, launches, FLOPs, bytes, and the bound on the first of the chips.
[[nodiscard]] std::string count_summary(const CountReport& report);
[[nodiscard]] nlohmann::json to_json(const CountReport& report);

}  // namespace kgb
