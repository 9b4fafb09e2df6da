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

// "tuple[2]" -> 2; -1 for what is no sequence.
[[nodiscard]] std::int64_t sequence_length(const std::string& structure);
// The argument that return value `index` must be: the one with its alias in the schema, where the call writes
// it, or where the oracle compares nothing because the operator hands its argument back. Empty: it is a
// tensor of its own.
[[nodiscard]] std::string aliased_argument(const Schema& schema, std::size_t index, bool compared);

// "[2, 3]".
[[nodiscard]] std::string shape_text(const std::vector<std::int64_t>& shape);

}  // namespace kgb
