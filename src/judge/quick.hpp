// SPDX-License-Identifier: Apache-2.0
// The workloads of the profile quick.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catalogue/operator.hpp"

namespace kgb {

// The class of dtypes that a call belongs to, by its first floating or complex tensor, else its first tensor:
// "complex", "wide" (f64, f32), "half" (f16, bf16), "fp8", "integer", "bool"; "none" without tensors.
[[nodiscard]] std::string dtype_class_of(const Call& call);

// Keeps, of each entry and class of dtypes, one workload that is public and one that is hidden: the first in
// an order that follows from the seed, edge workloads last. All candidates of one seed get the same ones, and
// over many seeds every workload has its turn.
void keep_quick(std::vector<Workload>& workloads, std::uint64_t seed);

}  // namespace kgb
