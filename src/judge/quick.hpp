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

// How likely a workload is drawn against another that would do as well: the larger ones, layouts that are not
// contiguous and values that are out of the ordinary tell more candidates apart (docs/use-as-a-reward.md).
[[nodiscard]] double quick_weight_of(const Call& call);

// Keeps a public and a hidden workload of each entry, and of each class of dtypes at least one, with as few
// as that takes. Which ones follows from the seed, edge workloads last: all candidates of one seed get the
// same, and over many seeds every workload has its turn.
void keep_quick(std::vector<Workload>& workloads, std::uint64_t seed);

}  // namespace kgb
