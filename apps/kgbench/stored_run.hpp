// SPDX-License-Identifier: Apache-2.0
// Stored runs, as the commands that read them name them.
#pragma once

#include <filesystem>
#include <optional>

#include "base/result.hpp"
#include "report/report.hpp"
#include "setup.hpp"

namespace kgb::app {

// The run of a folder, or of a store that is named itself; never written to. Families come from the
// catalogue, where there is one: a run can be read without.
inline Result<RunReport> read_run(std::filesystem::path run) {
  std::error_code ignored;
  if (std::filesystem::is_directory(run, ignored)) run /= "run.sqlite";
  KGB_TRY(const Store store, Store::open_to_read(run));
  KGB_TRY(RunReport report, load_report(store));
  if (const Result<Catalogue> catalogue = load_catalogue(); catalogue.ok())
    report.families = families_of(*catalogue);
  return report;
}

}  // namespace kgb::app
