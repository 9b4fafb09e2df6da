// SPDX-License-Identifier: Apache-2.0
// What a run found, as files for others: the winning kernels, and all samples.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "campaign/samples.hpp"

namespace kgb {

// The best passing sample of each operator: the fastest where times are there, else the first that passed.
[[nodiscard]] std::vector<const StoredSample*> best_samples(const std::vector<StoredSample>& samples);

// Writes DIR/<source>/<op>.py for each and DIR/index.json with their verdicts and speedups: in the form that
// dir:PATH reads. Files of the same name are replaced, no other is touched. Returns how many.
[[nodiscard]] Result<std::int64_t> export_best(const StoredRun& run, const std::filesystem::path& folder);

// One JSON object a line for each sample: run, contestant, model, chip, op, sample, verdict or null, speedup
// or null, tokens, dollars, attempts, source, and the evaluation.
[[nodiscard]] Status export_samples(const StoredRun& run,
                                    const std::function<void(std::string_view line)>& write);

}  // namespace kgb
