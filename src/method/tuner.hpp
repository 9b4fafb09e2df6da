// SPDX-License-Identifier: Apache-2.0
// The method without a model: a seed kernel is rewritten and raced against itself (docs/tune.md).
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "method/method.hpp"
#include "method/tuner_search.hpp"
#include "method/tuner_space.hpp"

namespace kgb::method {

struct TunerSettings {
  Rewriter rewriter;
  // A file, or a folder with <source>/<op>.py or <op>.py; empty: the operator's expert.
  std::filesystem::path seed_kernel;
  int rounds = 40;  // proposals raced
};

// One choice in which the tuned source differs from the seed.
struct Change {
  std::string what;  // "num_warps of add_kernel"
  int line = 0;      // of the seed
  std::string from, to;
};

struct Tuned {
  std::string seed, source;  // equal where nothing was proven
  std::vector<Change> changes;
  std::size_t axes = 0;
  Found found;
  // The whole judgement of the winner against the seed on fresh values; of the seed against itself where
  // there is no winner.
  Evaluation evaluation;
  std::string why;  // why there is no winner
  [[nodiscard]] bool improved() const { return !changes.empty(); }
};

// A user's error: no clock on this chip, a seed that does not pass or cannot be timed.
[[nodiscard]] Result<Tuned> tune(const Task& task, const TunerSettings& settings);

// What the timings say together; wrong where the verdict is not a pass.
[[nodiscard]] Outcome outcome_of(const Evaluation& evaluation);
// The seed of an operator.
[[nodiscard]] Result<std::filesystem::path> seed_file(const TunerSettings& settings, const Operator& op);

// The contestant `tuner`: the answer is the tuned source, or the seed where nothing is proven faster. A seed
// that cannot be tuned leaves its item open.
[[nodiscard]] Result<std::unique_ptr<Method>> make_tuner(const TunerSettings& settings);

}  // namespace kgb::method
