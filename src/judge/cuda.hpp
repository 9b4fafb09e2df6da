// SPDX-License-Identifier: Apache-2.0
// CUDA candidates (`.cu`): their plans come of their launch description, their code of NVRTC. No text of
// theirs runs on the host.
#pragma once

#include <optional>

#include "judge/case.hpp"
#include "judge/processes.hpp"

namespace kgb {

// In the author's place: a recording of every job, or what keeps it from having one.
[[nodiscard]] Status describe_jobs(Case& open, const ChipCard& chip, Processes& processes);
// Gate compile: every kernel for the device that the candidate is judged on (on chip cpu, the one that it
// stands for), which it must pass; then, as advice, for each target asked for.
[[nodiscard]] Status compile_cuda(Case& open, Processes& processes, const Catalogue& catalogue);
// Code of kernel number `kernel` of the job's recording for the chip, fit for each of its launches; nullopt:
// the job has a finding that says why not.
[[nodiscard]] Result<std::optional<KernelImage>> cuda_image(const Case& open, Job& job, std::size_t kernel,
                                                            Processes& processes);
// What stands in the way of running the candidate at all on this chip.
[[nodiscard]] std::optional<Finding> cuda_needs_device(const Case& open);

}  // namespace kgb
