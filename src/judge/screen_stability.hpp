// SPDX-License-Identifier: Apache-2.0
// How far an output moves when the inputs move by one ulp, in units of its bound (docs/tolerance.md).
#pragma once

#include <optional>

#include "base/result.hpp"
#include "model/compare.hpp"

namespace kgb {

// The largest |e' - e| over its bound; infinity where only one of them is finite. Codes: 0 when the moved
// ones would be accepted, else infinity. nullopt for outputs that are compared exactly: what computes them
// rounds nothing, and moved inputs are another question there.
[[nodiscard]] Result<std::optional<double>> movement(const ExpectedOutput& before,
                                                     const ExpectedOutput& after, const ErrorBound& bound);

}  // namespace kgb
