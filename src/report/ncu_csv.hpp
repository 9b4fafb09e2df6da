// SPDX-License-Identifier: Apache-2.0
// What ncu prints as CSV. Its text is hostile input: nothing in it is believed, and what is missing stays
// unknown.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kgb {

// A row of ncu_metrics.def.
struct NcuMetric {
  std::string_view key, name, unit, what;
};
[[nodiscard]] std::span<const NcuMetric> ncu_metrics();

// A number in ncu's form, in the base of its unit (ns, byte, ...): ("1,234.5", "usecond") is 1234500.
// nullopt: no number, or one beyond 1e18.
[[nodiscard]] std::optional<double> ncu_number(std::string_view text, std::string_view unit);

struct Stall {
  std::string reason;  // "long_scoreboard"
  double share = 0;    // of the samples of all reasons
};

struct NcuKernel {
  std::string name;
  std::map<std::string, double, std::less<>> metrics;  // by NcuMetric::key
  std::vector<Stall> stalls;                           // greatest first; empty: unknown
};
// Kernels in the order in which they ran. Of `--page raw` (one row for each, a row of units above them) and
// of the details page (one row for each metric).
[[nodiscard]] std::vector<NcuKernel> ncu_kernels(std::string_view csv);

struct NcuLine {
  std::string file;
  int line = 0;
  double share = 0;    // of the kernel's samples
  std::string reason;  // the most frequent at this line; empty: unknown
};
struct NcuSource {
  std::string kernel;
  std::vector<NcuLine> lines;  // by share; those without samples are left out
};
// Of `--page source --print-source cuda,sass`: a table for each kernel and file.
[[nodiscard]] std::vector<NcuSource> ncu_source(std::string_view csv);

}  // namespace kgb
