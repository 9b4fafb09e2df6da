// SPDX-License-Identifier: Apache-2.0
// Choice of workloads and the verdict of a series.
#include "judge/timing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/philox.hpp"
#include "stats/order.hpp"

namespace kgb {
namespace {

constexpr std::size_t kTimedWorkloads = 3, kQuickTimed = 1;
// Seconds: an empty kernel takes six times as long on an H200, a recording without a kernel nothing.
constexpr double kNoWork = 1e-7;

}  // namespace

std::vector<Job*> timed_jobs(Case& open, const Catalogue& catalogue, bool with_baseline) {
  if (!open.request.timed.empty()) {
    std::vector<Job*> named;
    for (Job& job : open.jobs)
      if (job.only_timed) named.push_back(&job);
    return named;
  }
  std::vector<std::pair<std::pair<bool, double>, Job*>> ranked;
  for (Job& job : open.jobs) {
    if (job.workload.edge || (with_baseline && open.entry_of(job).baseline.empty())) continue;
    const Result<Cost> cost = catalogue.cost_for(open.op, job.workload.call);
    const double weight = cost.ok() ? job.workload.weight * cost->bytes : 0;
    ranked.push_back({{!open.entry_of(job).schema.gives_view(), weight}, &job});
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Job*> jobs;
  for (const auto& [rank, job] : ranked)
    if (jobs.size() < (open.quick() ? kQuickTimed : kTimedWorkloads)) jobs.push_back(job);
  return jobs;
}

int timed_trial(const Job& job) {
  return reads_values(job) ? 0 : kTimedTrial;
}

bool Series::narrow(double width) const {
  const auto interval = median_interval(ratio);
  return interval && (interval->high - interval->low) < width * interval->estimate;
}

bool Series::decided(double margin) const {
  const auto interval = median_interval(ratio);
  return interval && call_of(*interval, margin) != SpeedCall::cannot_tell;
}

std::uint32_t turn_coin(const Case& open, std::size_t turn) {
  return philox4x32({static_cast<std::uint32_t>(turn), 0, 0, 0},
                    {static_cast<std::uint32_t>(open.request.seed),
                     static_cast<std::uint32_t>(open.request.seed >> 32)})[0];
}

Timing timing_of(const Job& job, const Series& series, const std::string& baseline, double margin) {
  Timing timing;
  timing.workload = job.workload.call.workload;
  timing.baseline_name = baseline;
  timing.candidate = median(series.candidate);
  timing.call = name_of(SpeedCall::cannot_tell);
  if (series.baseline.empty()) {
    timing.why =
        baseline.empty() ? "the operator has no baseline on this chip" : "the baseline gave no times";
    return timing;
  }
  timing.baseline = median(series.baseline);
  if (timing.baseline < kNoWork) {
    timing.why = "the baseline (" + baseline + ") runs nothing on the device for this call";
    return timing;
  }
  const auto interval = median_interval(series.ratio);
  if (!interval) {
    timing.why = fmt::format("only {} turns fit into the time limit", series.ratio.size());
    return timing;
  }
  timing.ratio = interval->estimate;
  timing.ratio_low = interval->low;
  timing.ratio_high = interval->high;
  const SpeedCall call = call_of(*interval, margin);
  timing.call = name_of(call);
  if (call == SpeedCall::cannot_tell)
    timing.why = fmt::format("the interval is wider than the difference after {} turns", series.ratio.size());
  return timing;
}

Timing untimed(const Job& job, const std::string& why) {
  Timing timing;
  timing.workload = job.workload.call.workload;
  timing.call = name_of(SpeedCall::cannot_tell);
  timing.why = why;
  return timing;
}

bool note_too_fast(const Entry& entry, Job& job, const Series& series, double bytes,
                   double bytes_per_second) {
  if (entry.schema.gives_view() || series.candidate.empty() ||
      median(series.candidate) >= bytes / bytes_per_second)
    return false;
  job.findings.push_back(make_finding(
      "too_fast", Gate::fast,
      fmt::format("{:.3g} s for {:.3g} bytes is faster than any memory", median(series.candidate), bytes),
      job.workload.call.workload));
  return true;
}

}  // namespace kgb
