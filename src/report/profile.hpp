// SPDX-License-Identifier: Apache-2.0
// What is known of the kernels of one call: ncu's counters, activity times, the compiler's resources, and the
// virtual machine's counters where the device gives none. docs/profile.schema.json is the form of the
// document.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/replayed.hpp"
#include "nlohmann/json_fwd.hpp"
#include "report/count_text.hpp"
#include "report/ncu_csv.hpp"

namespace kgb {

struct ProfiledKernel {
  ReplayedLaunch launch;
  std::optional<NcuKernel> counters;
  std::vector<NcuLine> lines;         // by share of the samples; empty: unknown
  std::optional<double> activity_ns;  // of one run with cold caches
};

struct CallProfile {
  std::string op, candidate, source_hash, chip, seed, workload, description;
  std::string device, driver;         // empty: there is none here
  std::string folder;                 // of everything that is kept
  std::string report;                 // ncu's own file, in the folder; empty: none
  std::string no_counters;            // why there are no hardware counters
  std::string no_times, no_activity;  // likewise; empty where there are some
  std::string no_work;                // why the virtual machine counted nothing
  std::vector<double> call_ns;        // whole calls, by stamps
  std::vector<ReplayedNode> nodes;    // of one call, by activity records
  std::vector<ProfiledKernel> kernels;
  std::optional<CountReport> work;  // only where there are no hardware counters
};

// Gives each launch its counters, source lines and time: in order, by name. What fits nowhere is left out.
void attach_counters(CallProfile& profile, const std::vector<NcuKernel>& kernels,
                     const std::vector<NcuSource>& sources);
void attach_activity(CallProfile& profile);
// "registers" or "shared memory and warps": what allows the fewest programs at a time; empty: unknown.
[[nodiscard]] std::string occupancy_limiter(const NcuKernel& kernel);

// `source`: the candidate's text, of which lines are shown.
[[nodiscard]] std::string profile_text(const CallProfile& profile, const std::string& source);
[[nodiscard]] nlohmann::json to_json(const CallProfile& profile);

}  // namespace kgb
