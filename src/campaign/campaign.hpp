// SPDX-License-Identifier: Apache-2.0
// A run: many candidates judged in parallel, each finished evaluation stored at once, stoppable and
// resumable.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "campaign/contestant.hpp"
#include "campaign/producer.hpp"
#include "campaign/progress.hpp"
#include "catalogue/library.hpp"
#include "judge/judge.hpp"
#include "store/store.hpp"

namespace kgb {

struct RunOptions {
  JudgeRequest request;  // what holds for every candidate; operator, source and file are the item's
  int lanes = 1;
  std::filesystem::path folder;           // the run's; candidates that are not absolute lie beneath it
  std::optional<Library> library;         // that the candidates call; what it lacks is not run
  std::optional<ProducerSetup> producer;  // a method finds the candidates; none: their files are there
};

struct RunOutcome {
  std::int64_t judged = 0;  // in this invocation
  bool stopped = false;     // not all were judged: `stop` was set, a budget is spent, or items were given up
  std::int64_t generated = 0;
  struct Open {
    std::string op;
    int sample = 0;
    std::string why;
  };
  std::vector<Open> open;  // items that a method gave up or was not allowed to begin
};

// The judge, opened when it is first needed: a run that only writes candidates down may need none.
// Thread-safe.
using JudgeAtNeed = std::function<Result<Judge*>()>;

// Finds (where a method does that) and judges the candidates of the pending items of `run`; both go on side
// by side. A candidate that an earlier invocation found is judged without asking again. `stop` may be set at
// any time (Ctrl-C): candidates under way are finished. Items of an operator whose card is broken stay open.
// An evaluation that is `infra` is tried once more and then stored as such.
[[nodiscard]] Result<RunOutcome> run_pending(Store& store, const Catalogue& catalogue,
                                             const JudgeAtNeed& judge, const RunInfo& run,
                                             const RunOptions& options, Progress& progress,
                                             const std::atomic<bool>& stop);

}  // namespace kgb
