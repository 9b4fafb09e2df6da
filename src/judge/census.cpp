// SPDX-License-Identifier: Apache-2.0
// Shares of the census.
#include "judge/census.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "judge/kernel_origin.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

constexpr std::size_t kMostRows = 100;

bool is_kernel(const CensusRow& row) {
  return row.kind == "kernel";
}

// Whether the row is the work of a library. Fills and plain copies are allowed as in launch plans, unless
// moving data is the operator itself.
bool is_foreign(const Case& open, const CensusRow& row) {
  if (!is_kernel(row)) return row.kind == "copy" && open.op.family == "copy";
  return !row.library.empty() && (!row.helper || open.op.family == "copy");
}

std::string who(const CensusRow& row) {
  return row.library.empty() ? "the driver" : row.library;
}

Finding library_finding(const Job& job, const std::vector<CensusRow>& rows, const CensusRow& worst,
                        double foreign_ns) {
  double total = 0;
  for (const CensusRow& row : rows) total += row.ns;
  const double share = total > 0 ? foreign_ns / total : 1;
  const std::string name = is_kernel(worst) ? short_kernel_name(worst.name) : "a copy on the device";
  Finding finding = make_finding("library_kernel", Gate::honest,
                                 fmt::format("{:.0f} % of the device time is a library's: {} of {} (x{})",
                                             100 * share, name, who(worst), worst.count),
                                 job.workload.call.workload);
  finding.details = {{"kernel", to_utf8_lossy(worst.name).substr(0, 400)},
                     {"library", who(worst)},
                     {"share", fmt::format("{:.4f}", share)}};
  return finding;
}

bool writes_something(const Job& job) {
  return job.elements > 0;
}

}  // namespace

void name_origins(std::vector<CensusRow>& rows) {
  for (CensusRow& row : rows) {
    if (!is_kernel(row)) continue;
    // Inductor names kernels so where it is told to give them no names of their own.
    const KernelOrigin origin = row.name == "triton_" ? KernelOrigin{"Inductor"} : origin_of_kernel(row.name);
    if (!row.file.empty() && origin.library == "Inductor") continue;
    row.library = origin.library;
    row.helper = origin.helper;
    if (!row.library.empty()) row.file.clear();
  }
}

void add_census(std::vector<CensusRow>& all, const std::vector<CensusRow>& rows) {
  for (const CensusRow& row : rows) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const CensusRow& known) {
      return known.kind == row.kind && known.name == row.name;
    });
    if (same == all.end()) {
      all.push_back(row);
    } else {
      same->count += row.count;
      same->ns += row.ns;
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const CensusRow& a, const CensusRow& b) { return a.ns > b.ns; });
  if (all.size() > kMostRows) all.resize(kMostRows);
}

std::optional<Finding> census_finding(const Case& open, const Job& job, const std::vector<CensusRow>& rows) {
  if (open.op.tagged("no_kernel")) return std::nullopt;
  const CensusRow* worst = nullptr;
  double foreign_ns = 0;
  bool own = false;
  for (const CensusRow& row : rows) {
    own = own || (is_kernel(row) && row.library.empty());
    if (!is_foreign(open, row)) continue;
    foreign_ns += row.ns;
    if (worst == nullptr || row.ns > worst->ns) worst = &row;
  }
  if (worst != nullptr) return library_finding(job, rows, *worst, foreign_ns);
  if (own || !writes_something(job) || reads_nothing(job.workload.call)) return std::nullopt;
  return make_finding("no_launch", Gate::honest,
                      "the call launches no kernel of the candidate's, and its outputs hold elements",
                      job.workload.call.workload);
}

}  // namespace kgb
