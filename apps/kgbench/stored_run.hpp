// SPDX-License-Identifier: Apache-2.0
// Stored runs, as the commands that read them name them.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "report/report.hpp"
#include "setup.hpp"

namespace kgb::app {

// The runs of folders, or of stores that are named themselves; never written to. Families come from the
// catalogue, where there is one: a run can be read without.
inline Result<std::vector<RunReport>> read_runs(const std::vector<std::filesystem::path>& runs) {
  std::map<std::string, std::string> families;
  if (const Result<Catalogue> catalogue = load_catalogue(); catalogue.ok())
    families = families_of(*catalogue);
  std::vector<RunReport> reports;
  for (std::filesystem::path run : runs) {
    std::error_code ignored;
    if (std::filesystem::is_directory(run, ignored)) run /= "run.sqlite";
    KGB_TRY(const Store store, Store::open_to_read(run));
    KGB_TRY(RunReport report, load_report(store));
    report.families = families;
    reports.push_back(std::move(report));
  }
  return reports;
}

inline std::vector<const RunReport*> pointers_to(const std::vector<RunReport>& reports) {
  std::vector<const RunReport*> pointers;
  for (const RunReport& report : reports) pointers.push_back(&report);
  return pointers;
}

}  // namespace kgb::app
