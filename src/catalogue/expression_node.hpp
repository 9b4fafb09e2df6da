// SPDX-License-Identifier: Apache-2.0
// Syntax trees of expressions, between their parser and their evaluation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/call.hpp"

namespace kgb {

enum class Op : std::uint8_t {
  literal,
  name,
  list,
  index,
  call,
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  negate,
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  logical_and,
  logical_or,
  logical_not,
  conditional,  // children: condition, then, else
};

struct ExpressionNode {
  Op op = Op::literal;
  ArgValue value;    // literal
  std::string name;  // name, call
  std::vector<std::shared_ptr<const ExpressionNode>> children;
};

struct FunctionRule {
  std::string_view name;
  std::size_t least, most;  // arguments
  bool random;
};
// nullptr: no such function.
[[nodiscard]] const FunctionRule* function_named(std::string_view name);
[[nodiscard]] std::vector<std::string> function_names();

}  // namespace kgb
