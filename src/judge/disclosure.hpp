// SPDX-License-Identifier: Apache-2.0
// What of an evaluation its contestant may learn: the one place where public facts are told from hidden ones.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/verdict.hpp"

namespace kgb {

// A finding as it may be told. Of a hidden workload, and of what may have one in its text, the kind alone and
// words that fit every shape.
struct ToldFinding {
  std::string kind;
  Gate gate = Gate::correct;
  bool advisory = false;
  bool reduced = false;
  std::string message;
  std::string workload, description;  // of a public workload: "s3" and its call
  std::string file;
  int line = 0;
  std::vector<std::pair<std::string, std::string>> details;  // in the order in which they are shown
};

struct ToldTier {
  std::string tier;
  std::int64_t passed = 0, judged = 0;
};

struct ToldWorst {  // of the public workloads
  double ratio = 0;
  std::string workload, at;
};

struct Disclosure {
  std::string op, candidate, chip, language, mode;
  Verdict verdict = Verdict::infra;
  Gate reached = Gate::static_;
  bool no_kernel = false;
  std::optional<ToldFinding> reason;  // what decided; none for a pass
  std::vector<ToldFinding> others;    // each kind and place once
  std::vector<ToldTier> tiers;        // in order of their first workload
  std::optional<ToldWorst> worst;
  // Of a hidden workload the ratio alone: seconds tell its size.
  std::vector<Timing> timings;
  std::vector<TargetResult> targets;
};
[[nodiscard]] Disclosure disclose(const Evaluation& evaluation);

}  // namespace kgb
