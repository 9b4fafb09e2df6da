// SPDX-License-Identifier: Apache-2.0
// A trial on the virtual machine, only to be counted.
#include "counted.hpp"

#include <chrono>

#include "base/clock.hpp"
#include "base/hash.hpp"
#include "base/version.hpp"
#include "model/generate.hpp"
#include "setup.hpp"

namespace kgb::app {

Result<Counted> count_calls(const Judge::Planned& row, const std::string& file, std::uint64_t seed,
                            double limit_s, executor::Workshop& workshop) {
  Counted counted;
  if (row.recording) {
    executor::TrialOptions trial;
    trial.seed = seed;
    trial.track_writes = false;
    trial.threads = processors();
    trial.counters = &counted.calls;
    trial.deadline = std::chrono::steady_clock::now() +
                     std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * limit_s));
    KGB_TRY(TrialResult result, executor::run_trial(*row.recording, row.calls, trial, workshop));
    counted.findings = std::move(result.findings);
  } else {
    for (const Finding& finding : row.findings)
      if (verdict_of(finding.kind)) counted.findings.push_back(finding);
  }
  for (Finding& finding : counted.findings) {
    finding.workload = row.workload;
    if (finding.line > 0) finding.file = file;
  }
  // The kernel's places are told in the name that the author saw; the user knows the file by its own.
  for (CallCounters& call : counted.calls)
    for (LaunchCounters& launch : call.launches) {
      for (LoopCount& loop : launch.loops) loop.file = file;
      for (AccessCount& access : launch.accesses) access.file = file;
    }
  return counted;
}

CountReport count_report(const Judge::Planned& row, CallCounters counters, const JudgeRequest& request,
                         const Catalogue& catalogue, const std::vector<const ChipCard*>& chips) {
  CountReport report;
  report.call = {
      iso_utc(system_clock().wall()), std::string(version()), request.file,       sha256_hex(request.source),
      seed_text(request.seed),        describe(row.call),     std::move(counters)};
  if (const Result<const Operator*> op = catalogue.find(request.op); op.ok())
    if (const Result<Cost> cost = catalogue.cost_for(**op, row.call); cost.ok()) report.card = *cost;
  for (const ChipCard* chip : chips)
    if (const std::optional<Roofline> made = roofline(report.call.counters, *chip))
      report.rooflines.push_back(*made);
  return report;
}

}  // namespace kgb::app
