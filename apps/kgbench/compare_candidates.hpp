// SPDX-License-Identifier: Apache-2.0
// kgbench compare with two candidates: both judged, then timed in turns, or their work counted.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "setup.hpp"

namespace kgb::app {

struct CandidatePair {
  std::string before, after;  // files
  std::string op, only;
  std::vector<std::string> time_specs;
  bool fail_if_slower = false, json = false;
  JudgeOptions judge;
};

// Whether the argument is a candidate's file by its name, not a run.
[[nodiscard]] bool names_candidate(const std::filesystem::path& argument);

// Prints the comparison and gives the exit code.
[[nodiscard]] Result<int> compare_candidates(const CandidatePair& pair);

}  // namespace kgb::app
