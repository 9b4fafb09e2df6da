// SPDX-License-Identifier: Apache-2.0
// [error] and [cost] of a card: expressions that give numbers for a call.
#pragma once

#include <optional>
#include <string>

#include "base/result.hpp"
#include "catalogue/expression.hpp"
#include "catalogue/problems.hpp"
#include "model/call.hpp"
#include "model/compare.hpp"

namespace kgb {

// Keys that a card leaves out keep the defaults of ErrorBound (docs/contracts/card.md).
struct ErrorModel {
  ErrorClass error_class = ErrorClass::pointwise;
  std::optional<Expression> ulps, length, off_by_one, reduce_dim;
  std::optional<Expression> accumulate;  // a dtype
  bool signed_zero = false;
  std::string sensitive;  // why moved inputs may move the result by more than the bound; empty: they may not
};

struct CostModel {
  std::optional<Expression> flops, bytes;
};

struct Cost {
  double flops = 0;
  double bytes = 0;
};

[[nodiscard]] ErrorModel read_error_model(const TomlTable& table, int line, const std::string& where,
                                          Problems& problems);
[[nodiscard]] CostModel read_cost_model(const TomlTable& table, int line, const std::string& where,
                                        Problems& problems);
[[nodiscard]] Result<ErrorBound> resolve(const ErrorModel& model, const Call& call);
[[nodiscard]] Result<Cost> resolve(const CostModel& model, const Call& call);

}  // namespace kgb
