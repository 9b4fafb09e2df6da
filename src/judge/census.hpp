// SPDX-License-Identifier: Apache-2.0
// The census of in-process mode: what ran on the device, whose it is, and what follows from it.
#pragma once

#include <optional>
#include <vector>

#include "judge/case.hpp"

namespace kgb {

// Says whose each row is by its name (judge/kernel_origin.hpp). A kernel that stands in the candidate's own
// file is the candidate's, even under a name that torch's compiler gives.
void name_origins(std::vector<CensusRow>& rows);
// Adds `rows` to `all`: one row for each kind and name, the longest first.
void add_census(std::vector<CensusRow>& all, const std::vector<CensusRow>& rows);
// What speaks against the candidate: kernels of a library, with their share of the device time; or none of
// its own where the call has something to compute.
[[nodiscard]] std::optional<Finding> census_finding(const Case& open, const Job& job,
                                                    const std::vector<CensusRow>& rows);

}  // namespace kgb
