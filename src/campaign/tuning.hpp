// SPDX-License-Identifier: Apache-2.0
// Tunes kernels by the judge: the races of method/tuner.hpp, and many operators side by side.
#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "judge/judge.hpp"
#include "method/tuner.hpp"
#include "nlohmann/json_fwd.hpp"

namespace kgb {

// Races on the device of `judge`. `request`: what holds for every candidate of the operator; its seed is that
// of the search, the last race has a fresh one. `timed`: the workloads that the sources are timed on; empty:
// those of the operator that move most. While a search goes on a proposal is judged on a few smoke workloads
// on the virtual machine, and its timed calls by what they leave on the device; the last race is a whole
// judgement.
[[nodiscard]] std::function<Result<method::Feedback>(const method::Race& race)> races_of(
    Judge& judge, const Operator& op, JudgeRequest request, std::vector<Workload> timed);

// The workloads of an operator worth tuning for: of the tier full, those that move most bytes, one of each
// entry and two at most; where it has none, of smoke.
[[nodiscard]] std::vector<Workload> worth_tuning(const Catalogue& catalogue, const Operator& op);

struct TuneTask {
  const Operator* op = nullptr;
  std::filesystem::path seed_kernel;  // empty: the expert
  std::vector<Workload> timed;        // empty: worth_tuning
};

struct TuneOptions {
  JudgeRequest request;  // tiers and seed of the whole judgements, tolerance, chip
  method::TunerSettings tuner;
  int lanes = 1;
  std::uint64_t seed = 0;                                         // of the search
  std::optional<std::chrono::steady_clock::time_point> deadline;  // no proposals after it
};

struct TuneRow {
  std::string op;
  std::vector<std::string> workloads;  // what was timed, described
  std::optional<method::Tuned> tuned;
  std::string error;  // why there is nothing; of this operator alone
  double seconds = 0;
};

// Tunes every task; `told` is called with each row when it is done, one at a time. What goes wrong with one
// operator is in its row; an Error is the host's.
[[nodiscard]] Result<std::vector<TuneRow>> tune_all(Judge& judge, const std::vector<TuneTask>& tasks,
                                                    const TuneOptions& options,
                                                    const std::function<void(const TuneRow&)>& told,
                                                    const std::atomic<bool>& stop);

[[nodiscard]] std::string tune_text(const TuneRow& row);
[[nodiscard]] nlohmann::json tune_json(const TuneRow& row);

}  // namespace kgb
