// SPDX-License-Identifier: Apache-2.0
// Reads what a run of KernelGenBench left: kernels, and what it recorded of them
// (docs/kernelgenbench-runs.md).
#pragma once

#include <filesystem>
#include <vector>

#include "base/result.hpp"
#include "campaign/contestant.hpp"

namespace kgb {

[[nodiscard]] bool is_kernelgenbench_run(const std::filesystem::path& folder);
// Of each operator the kernel that its verdict is about. A result file that cannot be read is the user's
// error; one that is not there leaves the kernels without a record.
[[nodiscard]] Result<CandidateSet> kernelgenbench_candidates(const std::filesystem::path& folder,
                                                             const std::vector<const Operator*>& operators);

}  // namespace kgb
