// SPDX-License-Identifier: Apache-2.0
// What a run's candidates cost: tokens, money and time, with what is unknown said to be so.
#pragma once

#include <cstdint>
#include <optional>

#include "report/report.hpp"

namespace kgb {

struct Ledger {
  std::int64_t successes = 0;  // samples that pass
  std::int64_t calls = 0, replayed = 0;
  std::int64_t unknown_usage = 0, unknown_price = 0;                   // calls that told none
  std::int64_t prompt = 0, completion = 0, cached = 0, reasoning = 0;  // tokens that were told
  std::int64_t tokens_of_successes = 0;
  double dollars = 0, dollars_of_successes = 0;
  double model_s = 0, waited_s = 0, judge_s = 0;
  std::optional<double> device_s, wall_s;  // nullopt: not told; wall: from the start to the end, pauses too

  // All that passed through the model: prompts, whether read from a cache or not, and what it generated.
  [[nodiscard]] std::int64_t tokens() const { return prompt + completion; }
  // Tokens of the whole run for each success: the published figure. nullopt: no success, or no call.
  [[nodiscard]] std::optional<double> tokens_per_success() const;
  // Tokens that went into the successes alone.
  [[nodiscard]] std::optional<double> own_tokens_per_success() const;
  [[nodiscard]] std::optional<double> dollars_per_success() const;  // nullopt where no price is known, too
};
[[nodiscard]] Ledger ledger_of(const RunReport& report);

}  // namespace kgb
