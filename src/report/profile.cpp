// SPDX-License-Identifier: Apache-2.0
// Puts together what each source knows of a kernel, and tells it.
#include "report/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "report/number_text.hpp"
#include "stats/order.hpp"

namespace kgb {
namespace {

constexpr std::size_t kShownStalls = 3, kShownLines = 4, kShownNodes = 32;
constexpr std::size_t kShownSource = 60;  // bytes of a source line

// ncu may add a signature or a namespace to a kernel's name.
bool is_kernel(std::string_view told, const std::string& name) {
  return told == name || told.find(name + "(") != std::string_view::npos;
}

std::optional<double> metric(const ProfiledKernel& kernel, std::string_view key) {
  if (!kernel.counters) return std::nullopt;
  const auto found = kernel.counters->metrics.find(key);
  return found == kernel.counters->metrics.end() ? std::nullopt : std::optional(found->second);
}

std::string percent(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f} %", *value) : "unknown";
}

std::string bytes_or_unknown(const std::optional<double>& value) {
  return value ? human_bytes(static_cast<std::uint64_t>(std::min(*value, 1e18))) : "unknown";
}

void profile_line(std::string& out, std::string_view name, const std::string& text) {
  out += fmt::format("    {:<11} {}\n", name, text);
}

std::string time_of(const ProfiledKernel& kernel) {
  std::string out =
      kernel.activity_ns ? duration_text(1e-9 * *kernel.activity_ns) + " by activity records" : "";
  if (const auto ncu = metric(kernel, "duration"))
    out += fmt::format("{}{} under ncu", out.empty() ? "" : ", ", duration_text(1e-9 * *ncu));
  return out.empty() ? "unknown" : out;
}

std::string occupancy_of(const ProfiledKernel& kernel) {
  std::string out = percent(metric(kernel, "occupancy")) + " of the warps that fit, at most " +
                    percent(metric(kernel, "occupancy_limit"));
  const std::string limiter = occupancy_limiter(*kernel.counters);
  return out + "; limited by " + (limiter.empty() ? "unknown" : limiter);
}

std::string spills_of(const ProfiledKernel& kernel) {
  if (kernel.launch.local_bytes == 0) return "none: no local memory";
  std::string out = fmt::format("{} bytes of local memory a thread", kernel.launch.local_bytes);
  const auto loads = metric(kernel, "local_loads"), stores = metric(kernel, "local_stores");
  if (loads && stores)
    out += fmt::format(", {} loads and {} stores", digits_text(static_cast<std::uint64_t>(*loads)),
                       digits_text(static_cast<std::uint64_t>(*stores)));
  return out;
}

std::string stalls_of(const ProfiledKernel& kernel) {
  std::string out;
  const std::vector<Stall>& stalls = kernel.counters->stalls;
  for (std::size_t i = 0; i < std::min(stalls.size(), kShownStalls); ++i)
    out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", in_quotes(stalls[i].reason),
                       100 * stalls[i].share);
  return out.empty() ? "unknown" : out + " of the samples";
}

// The candidate's own lines with their text, others by place.
std::string source_of(const NcuLine& line, const std::vector<std::string>& source,
                      const std::string& candidate) {
  const bool own = line.file.ends_with("candidate.py");
  std::string out = own ? candidate : line.file;
  out += ":" + std::to_string(line.line);
  const auto at = static_cast<std::size_t>(line.line);
  if (own && at >= 1 && at <= source.size())
    out += "  " + std::string(cut_utf8(trim(source[at - 1]), kShownSource));
  return out;
}

void kernel_lines(std::string& out, const ProfiledKernel& kernel, const CallProfile& profile,
                  const std::vector<std::string>& source) {
  const ReplayedLaunch& launch = kernel.launch;
  out += fmt::format("  {}[{},{},{}] at {}:{}, {} threads\n", launch.kernel, launch.grid[0], launch.grid[1],
                     launch.grid[2], profile.candidate, launch.line, 32 * launch.warps);
  profile_line(out, "time", time_of(kernel));
  if (kernel.counters) {
    profile_line(out, "of peak",
                 fmt::format("DRAM {}, L2 {}, SM {}", percent(metric(kernel, "dram_peak")),
                             percent(metric(kernel, "l2_peak")), percent(metric(kernel, "sm_peak"))));
    profile_line(out, "DRAM",
                 fmt::format("{} read, {} written", bytes_or_unknown(metric(kernel, "dram_read")),
                             bytes_or_unknown(metric(kernel, "dram_written"))));
    profile_line(out, "occupancy", occupancy_of(kernel));
  }
  profile_line(
      out, "registers",
      fmt::format("{} a thread; {} of shared memory a program", launch.registers,
                  human_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(0, launch.shared_bytes)))));
  profile_line(out, "spills", spills_of(kernel));
  if (!kernel.counters) return;
  profile_line(out, "stalls", stalls_of(kernel));
  if (kernel.lines.empty()) profile_line(out, "lines", "unknown");
  for (std::size_t i = 0; i < std::min(kernel.lines.size(), kShownLines); ++i) {
    const NcuLine& line = kernel.lines[i];
    profile_line(out, i == 0 ? "lines" : "",
                 fmt::format("{:>3.0f} %  {:<16} {}", 100 * line.share,
                             line.reason.empty() ? "unknown" : in_quotes(line.reason),
                             source_of(line, source, profile.candidate)));
  }
}

void call_lines(std::string& out, const CallProfile& profile) {
  if (profile.device.empty()) return;
  out += profile.call_ns.empty()
             ? "  call         not timed: " + profile.no_times + "\n"
             : fmt::format("  call         {} by stamps, median of {}\n",
                           duration_text(1e-9 * median(profile.call_ns)), profile.call_ns.size());
  if (profile.nodes.empty()) {
    if (!profile.no_activity.empty()) out += "  no activity records: " + profile.no_activity + "\n";
    return;
  }
  for (std::size_t i = 0; i < std::min(profile.nodes.size(), kShownNodes); ++i) {
    const ReplayedNode& node = profile.nodes[i];
    out +=
        fmt::format("    at {:>9}   {:>9}   {}\n", duration_text(1e-9 * node.start_ns),
                    duration_text(1e-9 * node.ns), node.name.empty() ? "copy or fill" : in_quotes(node.name));
  }
  if (profile.nodes.size() > kShownNodes)
    out += fmt::format("    and {} more: the document has all\n", profile.nodes.size() - kShownNodes);
}

}  // namespace

void attach_counters(CallProfile& profile, const std::vector<NcuKernel>& kernels,
                     const std::vector<NcuSource>& sources) {
  std::size_t at = 0;
  for (ProfiledKernel& kernel : profile.kernels) {
    std::size_t found = at;
    while (found < kernels.size() && !is_kernel(kernels[found].name, kernel.launch.kernel)) ++found;
    if (found == kernels.size()) continue;
    kernel.counters = kernels[found];
    at = found + 1;
  }
  // A kernel that is launched several times has a table for each, or one for all of them.
  std::vector<bool> taken(sources.size(), false);
  for (ProfiledKernel& kernel : profile.kernels) {
    std::size_t best = sources.size();
    for (std::size_t s = 0; s < sources.size(); ++s)
      if (is_kernel(sources[s].kernel, kernel.launch.kernel) && (best == sources.size() || taken[best]))
        best = s;
    if (best == sources.size()) continue;
    taken[best] = true;
    kernel.lines = sources[best].lines;
  }
}

void attach_activity(CallProfile& profile) {
  std::size_t at = 0;
  for (ProfiledKernel& kernel : profile.kernels) {
    std::size_t found = at;
    while (found < profile.nodes.size() && profile.nodes[found].name != kernel.launch.kernel) ++found;
    if (found == profile.nodes.size()) continue;
    kernel.activity_ns = profile.nodes[found].ns;
    at = found + 1;
  }
}

std::string occupancy_limiter(const NcuKernel& kernel) {
  static constexpr std::array<std::pair<std::string_view, const char*>, 4> limits{
      {{"blocks_by_registers", "registers"},
       {"blocks_by_shared_memory", "shared memory"},
       {"blocks_by_warps", "warps"},
       {"blocks_by_slots", "slots for programs"}}};
  std::optional<double> fewest;
  for (const auto& [key, name] : limits)
    if (const auto found = kernel.metrics.find(key); found != kernel.metrics.end())
      fewest = std::min(fewest.value_or(found->second), found->second);
  std::string out;
  for (const auto& [key, name] : limits)
    if (const auto found = kernel.metrics.find(key); found != kernel.metrics.end() && found->second == fewest)
      out += std::string(out.empty() ? "" : " and ") + name;
  return out;
}

std::string profile_text(const CallProfile& profile, const std::string& source) {
  std::string out = fmt::format("== {}  {}  {}: {}\n", profile.op, profile.candidate, profile.workload,
                                profile.description);
  if (!profile.device.empty())
    out +=
        fmt::format("  device       {}, driver {}\n", in_quotes(profile.device), in_quotes(profile.driver));
  call_lines(out, profile);
  const std::vector<std::string> lines = split_lines(source);
  for (const ProfiledKernel& kernel : profile.kernels) kernel_lines(out, kernel, profile, lines);
  if (!profile.no_counters.empty()) out += "  no hardware counters: " + profile.no_counters + "\n";
  if (profile.work)
    out += "  work, as the virtual machine counts it:\n" + count_text(*profile.work);
  else if (!profile.no_work.empty())
    out += "  not counted on the virtual machine: " + profile.no_work + "\n";
  return out + "kept in " + profile.folder +
         (profile.report.empty() ? "" : "; ncu's report: " + profile.report + " (open it with ncu-ui)") +
         "\n";
}

}  // namespace kgb
