// SPDX-License-Identifier: Apache-2.0
// NVIDIA's profiler ncu, run on a stored plan, and what it says of it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace kgb::app {

// The program that KGBENCH_NCU names, else `ncu` on PATH or in the places where CUDA's installers put it;
// empty: none. A user's Error: KGBENCH_NCU names no program.
[[nodiscard]] Result<std::string> find_ncu();

struct NcuTask {
  std::string program;
  std::vector<std::string> command;      // what is profiled
  std::vector<std::string> environment;  // of all of it
  std::filesystem::path folder;          // holds the candidate's file, gets report and log
  std::size_t skip = 0, count = 0;       // launches before the call, and of it
};

struct NcuRun {
  std::string raw, source;  // CSV; the second may be empty
  std::string report;       // file; empty: none
  std::string why;          // there is nothing: in one line
};
// Profiles, then has the report printed. What ncu does wrong is `why`; an Error is this host's.
[[nodiscard]] Result<NcuRun> run_ncu(const NcuTask& task);

}  // namespace kgb::app
