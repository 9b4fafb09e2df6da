// SPDX-License-Identifier: Apache-2.0
// The fixture screen: do the workloads of a card reject every answer that needs no thought
// (docs/cli/screen.md)?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "judge/judge.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

struct ScreenOptions {
  std::uint64_t seed =
      0x5eed;     // hidden workloads and values; fixed, so that the screen says the same every time
  int lanes = 1;  // oracle processes
};

struct AnswerTally {
  std::string answer;                 // "zeros", "lower_precision"
  std::vector<std::string> differs;   // workloads where it is wrong
  std::vector<std::string> rejected;  // of these, the workloads that reject it
  [[nodiscard]] bool hole() const { return !differs.empty() && rejected.empty(); }
};

// One output of one entry for one pair of dtypes.
struct ScreenRow {
  std::string op, entry;
  std::string output;                  // path; items of a list are one output: "C[]"
  std::string dtype;                   // "f32", or "f16 -> f32" where main input and output differ
  std::vector<std::string> workloads;  // that count: no edge cases
  std::vector<AnswerTally> answers;    // only those that are wrong somewhere
  // Right in every workload, but only because of their values: with ordinary ones they would be wrong.
  std::vector<std::string> blind;
  std::vector<std::string> right_refused;  // workloads that reject the oracle's own values, rounded once
  // Inputs moved by one ulp move the output by this share of the bound at most; nullopt: compared exactly.
  std::optional<double> moves;
  std::string moves_most;             // the workload where
  std::vector<std::string> unstable;  // workloads where it is more than the bound
  std::string sensitive;              // the card's reason why that is right; unstable workloads are no hole
  [[nodiscard]] std::size_t holes() const;
};

struct ScreenReport {
  struct Skipped {
    std::string op, reason;
  };
  std::vector<ScreenRow> rows;  // by operator, entry, output, dtype
  std::vector<Skipped> skipped;
  std::uint64_t seed = 0;
  [[nodiscard]] std::size_t holes() const;
};

// "f32", or "f16 -> f32" where the call's main input and the output differ: what rows are grouped by.
[[nodiscard]] std::string dtypes_text(const Call& call, DType out);
// Whether a bound is one for values: not that of random operators and of metadata.
[[nodiscard]] bool compares_values(const ErrorBound& bound);

// Smoke workloads and one draw of the hidden ones. An Error is the oracle's or the host's.
[[nodiscard]] Result<ScreenReport> screen(const Catalogue& catalogue,
                                          const std::vector<const Operator*>& operators,
                                          const Installation& installation, const ScreenOptions& options);

// `whole`: also what rejects each answer, not only the holes.
[[nodiscard]] std::string screen_text(const ScreenReport& report, bool whole);
[[nodiscard]] nlohmann::json screen_json(const ScreenReport& report);

}  // namespace kgb
