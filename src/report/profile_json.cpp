// SPDX-License-Identifier: Apache-2.0
// A profile as one document.
#include <nlohmann/json.hpp>

#include "report/profile.hpp"

namespace kgb {
namespace {

nlohmann::json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::json() : nlohmann::json(text);
}

nlohmann::json counters_json(const NcuKernel& kernel) {
  nlohmann::json out{{"limiter", text_or_null(occupancy_limiter(kernel))}};
  // A metric that ncu did not give is there and null.
  for (const NcuMetric& metric : ncu_metrics()) {
    const auto found = kernel.metrics.find(metric.key);
    out["metrics"][std::string(metric.key)] =
        found == kernel.metrics.end() ? nlohmann::json() : nlohmann::json(found->second);
  }
  out["stalls"] = nlohmann::json::array();
  for (const Stall& stall : kernel.stalls)
    out["stalls"].push_back({{"reason", stall.reason}, {"share", stall.share}});
  return out;
}

nlohmann::json kernel_json(const ProfiledKernel& kernel) {
  const ReplayedLaunch& launch = kernel.launch;
  nlohmann::json out{{"kernel", launch.kernel},
                     {"line", launch.line},
                     {"grid", launch.grid},
                     {"threads", 32 * launch.warps},
                     {"shared_bytes", launch.shared_bytes},
                     {"registers", launch.registers},
                     {"local_bytes", launch.local_bytes},
                     {"activity_ns", kernel.activity_ns ? nlohmann::json(*kernel.activity_ns) : nullptr},
                     {"counters", kernel.counters ? counters_json(*kernel.counters) : nullptr},
                     {"lines", nlohmann::json::array()}};
  for (const NcuLine& line : kernel.lines)
    out["lines"].push_back({{"file", line.file},
                            {"line", line.line},
                            {"share", line.share},
                            {"reason", text_or_null(line.reason)}});
  return out;
}

}  // namespace

nlohmann::json to_json(const CallProfile& profile) {
  nlohmann::json out{{"schema", 1},
                     {"op", profile.op},
                     {"candidate", profile.candidate},
                     {"source_hash", profile.source_hash},
                     {"chip", profile.chip},
                     {"seed", profile.seed},
                     {"workload", profile.workload},
                     {"description", profile.description},
                     {"device", text_or_null(profile.device)},
                     {"driver", text_or_null(profile.driver)},
                     {"folder", profile.folder},
                     {"report", text_or_null(profile.report)},
                     {"no_counters", text_or_null(profile.no_counters)},
                     {"no_times", text_or_null(profile.no_times)},
                     {"no_activity", text_or_null(profile.no_activity)},
                     {"no_work", text_or_null(profile.no_work)},
                     {"call_ns", profile.call_ns},
                     {"work", profile.work ? to_json(*profile.work) : nlohmann::json()}};
  out["nodes"] = nlohmann::json::array();
  for (const ReplayedNode& node : profile.nodes)
    out["nodes"].push_back({{"name", text_or_null(node.name)}, {"start_ns", node.start_ns}, {"ns", node.ns}});
  out["kernels"] = nlohmann::json::array();
  for (const ProfiledKernel& kernel : profile.kernels) out["kernels"].push_back(kernel_json(kernel));
  return out;
}

}  // namespace kgb
