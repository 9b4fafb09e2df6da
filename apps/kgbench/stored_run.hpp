// SPDX-License-Identifier: Apache-2.0
// Stored runs, as the commands that read them name them.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/text.hpp"
#include "report/report.hpp"
#include "setup.hpp"

namespace kgb::app {

inline std::vector<std::string> chips_of(const std::vector<RunReport>& reports) {
  std::vector<std::string> chips;
  for (const RunReport& report : reports) chips.push_back(report.run.chip);
  return chips;
}

// Leaves the run on a chip; empty: all of them.
inline Status keep_chip(std::vector<RunReport>& reports, const std::filesystem::path& run,
                        const std::string& chip) {
  const std::vector<std::string> chips = chips_of(reports);
  if (!chip.empty()) std::erase_if(reports, [&chip](const RunReport& r) { return r.run.chip != chip; });
  if (!reports.empty()) return ok_status();
  return user_error(run.string() + " has nothing on chip " + in_quotes(chip) + did_you_mean(chip, chips) +
                    ". It was judged on: " + join(chips, ", "));
}

// The runs of folders, or of stores that are named themselves, in a joined one the run of each chip or of
// `chip` alone; never written to. Families come from the catalogue, where there is one: a run can be read
// without.
inline Result<std::vector<RunReport>> read_runs(const std::vector<std::filesystem::path>& runs,
                                                const std::string& chip) {
  std::vector<RunReport> reports;
  for (std::filesystem::path run : runs) {
    std::error_code ignored;
    if (std::filesystem::is_directory(run, ignored)) run /= "run.sqlite";
    KGB_TRY(const Store store, Store::open_to_read(run));
    KGB_TRY(std::vector<RunReport> held, load_reports(store));
    KGB_CHECK(keep_chip(held, run, chip));
    for (RunReport& report : held) reports.push_back(std::move(report));
  }
  std::set<std::string> operators;
  for (const RunReport& report : reports)
    for (const StoredEvaluation& stored : report.evaluations) operators.insert(stored.evaluation.op);
  if (operators.empty()) return reports;
  const Result<Catalogue> catalogue = load_catalogue({operators.begin(), operators.end()});
  if (!catalogue.ok()) return reports;
  for (RunReport& report : reports) report.families = families_of(*catalogue);
  return reports;
}

// Rates of a quick run say something else than those of a careful one.
inline Status same_profile(const std::vector<RunReport>& reports) {
  for (const RunReport& report : reports)
    if (report.run.profile != reports.front().run.profile)
      return user_error(reports.front().run.id + " and " + report.run.id +
                        " cannot be compared: their profiles differ (" + reports.front().run.profile +
                        " and " + report.run.profile +
                        "). Judge one of them again, with kgbench run --contestant "
                        "replay:RUN --profile " +
                        report.run.profile);
  return ok_status();
}

inline std::vector<const RunReport*> pointers_to(const std::vector<RunReport>& reports) {
  std::vector<const RunReport*> pointers;
  for (const RunReport& report : reports) pointers.push_back(&report);
  return pointers;
}

}  // namespace kgb::app
