// SPDX-License-Identifier: Apache-2.0
// What the tools work with: the catalogue, a judge, and the evaluations that were given lately.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"
#include "model/verdict.hpp"

namespace kgb::serve {

// One candidate to be judged; the rest is the server's to say.
struct Asked {
  std::string op, source, file;
  bool quick = false;      // the smoke workloads alone, one set of values, no time
  std::uint64_t seed = 0;  // 0: a fresh one
  const std::atomic<bool>* stop = nullptr;
  std::function<void(Gate, std::size_t done, std::size_t total)> progress;
};

class Workbench {
 public:
  using JudgeFunction = std::function<Result<Evaluation>(const Asked&)>;  // thread-safe; may block
  Workbench(Catalogue catalogue, JudgeFunction judge)
      : catalogue_(std::move(catalogue)), judge_(std::move(judge)) {}

  [[nodiscard]] const Catalogue& catalogue() const { return catalogue_; }
  [[nodiscard]] Result<Evaluation> judge(const Asked& asked) const { return judge_(asked); }

  // Keeps the evaluation under a name that nobody guesses; the oldest is forgotten when there are many.
  [[nodiscard]] Result<std::string> keep(Evaluation evaluation);
  [[nodiscard]] std::optional<Evaluation> kept(const std::string& name) const;

 private:
  Catalogue catalogue_;
  JudgeFunction judge_;
  mutable std::mutex mutex_;
  std::deque<std::pair<std::string, Evaluation>> kept_;
};

}  // namespace kgb::serve
