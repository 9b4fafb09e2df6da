// SPDX-License-Identifier: Apache-2.0
// Joins runs of one contestant over parts of a suite, and over chips.
#pragma once

#include <filesystem>
#include <vector>

#include "campaign/samples.hpp"

namespace kgb {

struct Merged {
  std::int64_t chips = 0, items = 0, evaluations = 0, open = 0;
};

// Writes a new run into `folder`. Of runs on several chips one for each chip, named FOLDER@CHIP, with its
// candidates beneath chip_place: a sample on one chip is none on another, so that no number may be made of
// both, and all that reads a run goes on to read one of a single chip. Refused as the user's mistake: runs
// whose contestant, model, method, tiers, tolerance or targets differ (their numbers would not mean the
// same), and an operator and sample that two of them judged on one chip with different results. The seed may
// differ: each evaluation keeps its own.
[[nodiscard]] Result<Merged> merge_runs(const std::vector<StoredRun>& runs,
                                        const std::filesystem::path& folder);

}  // namespace kgb
