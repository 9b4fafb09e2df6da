// SPDX-License-Identifier: Apache-2.0
// The functions that expressions may call.
#pragma once

#include "base/result.hpp"
#include "catalogue/expression.hpp"
#include "catalogue/expression_node.hpp"

namespace kgb {

[[nodiscard]] Result<ArgValue> evaluate_node(const ExpressionNode& node, Scope& scope);
// `node` is a call whose function and number of arguments the parser has checked.
[[nodiscard]] Result<ArgValue> call_function(const ExpressionNode& node, Scope& scope);

}  // namespace kgb
