// SPDX-License-Identifier: Apache-2.0
// The gates: each one file gates/<name>.cpp and one row of gates.def. A gate adds findings to the case.
#pragma once

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// An Error is the judge's or the host's fault and ends the evaluation as `infra`.
using GateFunction = Status (*)(Case&, Processes&, const Catalogue&);

struct GateRow {
  Gate gate;
  GateFunction run;
};
// In the order in which they run.
[[nodiscard]] const std::vector<GateRow>& gates();

// Whether the case goes on to later gates: nothing found so far makes them pointless.
[[nodiscard]] bool goes_on(const Case& open);

}  // namespace kgb
