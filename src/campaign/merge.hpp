// SPDX-License-Identifier: Apache-2.0
// Joins runs of one contestant over parts of a suite into one run.
#pragma once

#include <filesystem>
#include <vector>

#include "campaign/samples.hpp"

namespace kgb {

struct Merged {
  std::int64_t items = 0, evaluations = 0, open = 0;
};

// Writes a new run into `folder`. Refused as the user's mistake: runs whose contestant, model, method, chip,
// tiers, tolerance or targets differ (their numbers would not mean the same), and an operator and sample that
// two of them judged with different results. The seed may differ: each evaluation keeps its own.
[[nodiscard]] Result<Merged> merge_runs(const std::vector<StoredRun>& runs,
                                        const std::filesystem::path& folder);

}  // namespace kgb
