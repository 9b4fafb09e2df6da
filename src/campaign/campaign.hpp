// SPDX-License-Identifier: Apache-2.0
// A run: many candidates judged in parallel, each finished evaluation stored at once, stoppable and
// resumable.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "campaign/contestant.hpp"
#include "campaign/progress.hpp"
#include "catalogue/library.hpp"
#include "judge/judge.hpp"
#include "store/store.hpp"

namespace kgb {

struct RunOptions {
  JudgeRequest request;  // what holds for every candidate; operator, source and file are the item's
  int lanes = 1;
  std::optional<Library> library;  // that the candidates call; what it lacks is not run
};

struct RunOutcome {
  std::int64_t judged = 0;  // in this invocation
  bool stopped = false;     // `stop` was set before all were judged
};

// Judges the pending items of `run`. `stop` may be set at any time (Ctrl-C): candidates under way are
// finished. An evaluation that is `infra` is tried once more and then stored as such.
[[nodiscard]] Result<RunOutcome> run_pending(Store& store, Judge& judge, const RunInfo& run,
                                             const RunOptions& options, Progress& progress,
                                             const std::atomic<bool>& stop);

}  // namespace kgb
