// SPDX-License-Identifier: Apache-2.0
// Audit of the host: what it gives to lock candidates, each thing tried, for `kgbench doctor`.
#pragma once

#include <string>
#include <vector>

namespace kgb::sandbox {

struct Facility {
  std::string name;  // "pid namespace"
  bool available = false;
  bool required = false;    // without it, candidates run only with --allow-weak-lock
  std::string detail;       // what was found: "version 7", "killed at 32 MiB"
  std::string consequence;  // what its absence means
  std::string remedy;       // what to do then
};
// Takes some tens of milliseconds and leaves nothing behind. Safe in a process with threads.
[[nodiscard]] std::vector<Facility> probe_facilities();

}  // namespace kgb::sandbox
