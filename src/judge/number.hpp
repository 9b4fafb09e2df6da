// SPDX-License-Identifier: Apache-2.0
// A Python number that a plan carries, as one element of a dtype.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/dtype.hpp"

namespace kgb {

// `json`: a number, a bool, "nan", "inf", "-inf", or for complex dtypes a pair of them. nullopt when it is
// something else, or an integer that the dtype cannot hold.
[[nodiscard]] std::optional<std::vector<std::byte>> number_bytes(const std::string& json, DType dtype);

}  // namespace kgb
