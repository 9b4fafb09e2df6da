// SPDX-License-Identifier: Apache-2.0
// Answers that need no thought: what the workloads of a card must reject (docs/cli/screen.md).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/expectations.hpp"
#include "model/call.hpp"
#include "model/compare.hpp"

namespace kgb {

struct WrongAnswer {
  std::string_view name;
  std::vector<std::byte> bytes;  // elements of the output's dtype, contiguous, row-major
};

// The expected values rounded once to the output's dtype; what an answer that differs is held against.
[[nodiscard]] std::vector<std::byte> right_answer(const ExpectedOutput& expected);

// Every answer that the output can hold and that differs somewhere from the right one by value: an answer
// that is right cannot be rejected. `expected` has at least one element.
struct AnswerSource {
  const ExpectedOutput& expected;
  const Call& call;
  ValueSet set;                           // that `expected` belongs to
  const ExpectedOutput* lower = nullptr;  // the same output of lowered(call), if there is one
  DType accumulate = DType::f32;          // of the card's bound
};
[[nodiscard]] std::vector<WrongAnswer> wrong_answers(const AnswerSource& source);

// The call on operands of one precision less, the same values rounded: f64 to f32, f32 to f16 (11 bits, as
// TF32 has), c128 to c64. nullopt when there is nothing to lower, or a domain depends on the dtype by more
// than its rounding.
[[nodiscard]] std::optional<Call> lowered(const Call& call);

// The call with ordinary values in place of monotonous ones: constant, zero and NaN tensors, and those of
// special values, become normal(0, 1), or small integers. nullopt when nothing changes.
[[nodiscard]] std::optional<Call> enlivened(const Call& call);

}  // namespace kgb
