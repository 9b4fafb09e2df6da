// SPDX-License-Identifier: Apache-2.0
// The contract: structure, dtype, shape, strides and aliasing of what a recorded call returns.
#pragma once

#include <string>
#include <vector>

#include "catalogue/schema.hpp"
#include "model/compare.hpp"
#include "model/launch_plan.hpp"
#include "model/verdict.hpp"

namespace kgb {

struct ContractCheck {
  const Schema& schema;
  const Call& call;
  const Expectation& expectation;
  bool exact_strides = false;  // the card says that strides matter
};

// Findings of gate correct for call number `number` of the recording; empty when the contract holds. Nothing
// is run.
[[nodiscard]] std::vector<Finding> contract_findings(const Recording& recording, int number,
                                                     const ContractCheck& check);

// "[2, 3]".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace kgb
