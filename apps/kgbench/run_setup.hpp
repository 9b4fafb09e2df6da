// SPDX-License-Identifier: Apache-2.0
// How a run begins, or goes on: its store, its items, and where their candidates come from.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign.hpp"
#include "campaign/library.hpp"
#include "campaign/samples.hpp"
#include "method_setup.hpp"
#include "setup.hpp"

namespace kgb::app {

struct RunCommand {
  std::string contestant = "experts";
  std::string suite;  // empty: demo, or the operators of the run that is replayed or whose failures are taken
  std::vector<std::string> operators, exclude;
  std::filesystem::path out, resume, only_failed;
  JudgeOptions judge;
  MethodOptions method;
};

struct PreparedRun {
  Store store;
  RunInfo run;
  RunOptions options;
  std::optional<DeclaredLibrary> library;
  std::filesystem::path own;  // for the page
};

// Operators of a run. Those whose card is broken are items, too, that stay open until it is mended.
struct AskedOperators {
  std::vector<const Operator*> sound, broken;
};
// The operators that the command asks for: of the suite, those named, those not excluded, those that the run
// --only-failed did not pass. `chip`: whose part of a joined run is meant. A broken one that is named itself
// is an error, and so is it when none is sound.
[[nodiscard]] Result<AskedOperators> operators_of(const RunCommand& command, const Catalogue& catalogue,
                                                  const std::string& chip);

// Those that --seed-kernel (as given; empty: the experts) has a kernel for; the others are named on stderr
// and left out.
[[nodiscard]] Result<std::vector<const Operator*>> with_seed(const std::string& given,
                                                             const std::vector<const Operator*>& operators);

// Writes a new run into its folder.
[[nodiscard]] Result<PreparedRun> begin_run(const RunCommand& command, const ResolvedOptions& resolved,
                                            const Installation& installation, const Catalogue& catalogue);
// Opens the run of --resume. What was asked for stands in the store; of the new command only lanes, budgets
// and the endpoint count.
[[nodiscard]] Result<PreparedRun> resume_run(RunCommand command, const ResolvedOptions& resolved,
                                             const Installation& installation, const Catalogue& catalogue);

}  // namespace kgb::app
