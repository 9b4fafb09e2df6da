// SPDX-License-Identifier: Apache-2.0
// A candidate's plans once under compute-sanitizer's memcheck, every buffer an allocation of its own: it
// finds the accesses so far out of bounds that they pass over the red zones.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "judge/case.hpp"
#include "judge/memcheck_report.hpp"
#include "judge/processes.hpp"

namespace kgb {

// The program that KGBENCH_COMPUTE_SANITIZER names, else `compute-sanitizer` on PATH, beside a CUDA toolkit
// or in a folder of Python packages; empty: none. A user's Error: the variable names no program.
[[nodiscard]] Result<std::string> find_compute_sanitizer(const std::vector<std::string>& packages);

// Runs what passed so far, where that is asked for and there is the tool. Errors of the candidate's kernels
// become findings; what else goes wrong is told in Case::memcheck and blamed on nobody.
[[nodiscard]] Status memcheck(Case& open, Processes& processes);

// The first error of the report that counts against a candidate with these kernels; nullptr: none does.
[[nodiscard]] const MemoryError* first_of(const MemcheckReport& report,
                                          const std::vector<std::string>& kernels);

}  // namespace kgb
