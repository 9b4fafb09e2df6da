// SPDX-License-Identifier: Apache-2.0
// The text of counters: totals first, then arguments, launches and chips.
#include "report/count_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "report/number_text.hpp"

namespace kgb {
namespace {

constexpr std::size_t kShownLaunches = 16;

std::string work_text(const std::vector<Work>& all, bool flops) {
  std::string out;
  for (const Work& work : all)
    if (work.flop() == flops)
      out += fmt::format("{}{} {} {}", out.empty() ? "" : ", ", name_of(work.kind), work.type,
                         digits_text(work.count));
  return out;
}

std::string traffic_text(const Traffic& traffic) {
  return fmt::format("{} in {}, {:.1f} sectors each, {:.0f} % used", human_bytes(traffic.bytes),
                     plural(traffic.requests, "request", "requests"), traffic.sectors_per_request(),
                     100 * traffic.sector_use());
}

void line(std::string& out, std::string_view name, const std::string& text) {
  out += fmt::format("  {:<12} {}\n", name, text);
}

void traffic_lines(std::string& out, const CounterTotals& sum) {
  if (sum.read.requests > 0)
    line(out, "read", fmt::format("{}; {} unique", traffic_text(sum.read), human_bytes(sum.unique_read)));
  if (sum.written.requests > 0)
    line(out, "written",
         fmt::format("{}; {} unique", traffic_text(sum.written), human_bytes(sum.unique_written)));
  if (sum.atomic.requests > 0) line(out, "atomic", traffic_text(sum.atomic));
}

// "0.98 of the card's 1,000 FLOPs, 1.00 of its 4 KiB".
std::string card_text(const CounterTotals& sum, const Cost& card) {
  const auto part = [](std::uint64_t counted, double expected) {
    return static_cast<double>(counted) / expected;
  };
  std::string out;
  if (card.flops > 0)
    out = fmt::format("{:.2f} of its {} FLOPs", part(sum.flops, card.flops),
                      digits_text(static_cast<std::uint64_t>(card.flops)));
  if (card.bytes > 0)
    out += fmt::format("{}{:.2f} of its {}", out.empty() ? "" : ", ", part(sum.unique_bytes(), card.bytes),
                       human_bytes(static_cast<std::uint64_t>(card.bytes)));
  return out;
}

std::string argument_text(const ArgumentTraffic& argument) {
  std::string out;
  for (const auto& [name, traffic] :
       {std::pair("read", &argument.read), std::pair("written", &argument.written),
        std::pair("atomic", &argument.atomic)})
    if (traffic->requests > 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : "; ", name, traffic_text(*traffic));
  return out + fmt::format("; unique {} read, {} written", human_bytes(argument.unique_read),
                           human_bytes(argument.unique_written));
}

void launch_lines(std::string& out, const LaunchCounters& launch) {
  const CounterTotals sum = totals(launch);
  out += fmt::format("  {}[{},{},{}] at {}:{}: {}, {} FLOPs, {} asked for, {} unique, {:.2f} FLOP/byte\n",
                     launch.kernel, launch.grid[0], launch.grid[1], launch.grid[2], launch.file, launch.line,
                     plural(launch.programs, "program", "programs"), digits_text(sum.flops),
                     human_bytes(sum.all().bytes), human_bytes(sum.unique_bytes()), sum.intensity());
  for (const LoopCount& loop : launch.loops)
    out += fmt::format("    loop at line {}: {}, entered {}\n", loop.line,
                       plural(loop.trips, "trip", "trips"), plural(loop.entered, "time", "times"));
  for (const AccessCount& access : launch.accesses)
    out += fmt::format("    {} of {} at line {}: {}\n", access.verb, access.argument, access.line,
                       traffic_text(access.traffic));
}

void roofline_lines(std::string& out, const CounterTotals& sum, const std::vector<Roofline>& chips) {
  if (chips.empty()) return;
  out += "  roofline at data sheet rates, not verified on hardware:\n";
  for (const Roofline& chip : chips)
    out += fmt::format(
        "    {:<8} {} bound, at least {} (arithmetic {}, memory {}); {:.2f} of the ridge's {:.1f} "
        "FLOP/byte\n",
        chip.chip, chip.memory_bound() ? "memory" : "compute", duration_text(chip.least_s),
        duration_text(chip.compute_s), duration_text(chip.memory_s),
        chip.ridge > 0 ? sum.intensity() / chip.ridge : 0.0, chip.ridge);
}

}  // namespace

std::string count_text(const CountReport& report) {
  const CallCounters& call = report.call.counters;
  const CounterTotals sum = totals(call);
  std::string out = fmt::format("== {}  {}  {}: {}\n", call.op, report.call.candidate, call.workload,
                                report.call.description);
  line(out, fmt::format("call {}", call.call),
       fmt::format("{}, {}{}", plural(call.launches.size(), "launch", "launches"),
                   plural(sum.programs, "program", "programs"),
                   call.copies == 0
                       ? ""
                       : fmt::format("; {} fills and copies of host code are not counted", call.copies)));
  const std::vector<Work> work = work_of(call);
  const std::string flops = work_text(work, true), others = work_text(work, false);
  line(out, "FLOPs", flops.empty() ? "0" : fmt::format("{}: {}", digits_text(sum.flops), flops));
  if (sum.flops > 0)
    line(out, "tensor cores", fmt::format("{:.1f} % of the FLOPs", 100 * sum.tensor_share()));
  if (!others.empty()) line(out, "no FLOPs", others);
  traffic_lines(out, sum);
  line(out, "intensity", fmt::format("{:.3f} FLOP for each unique byte", sum.intensity()));
  if (const std::string card = card_text(sum, report.card); !card.empty()) line(out, "card", card);
  for (const ArgumentTraffic& argument : call.arguments)
    line(out, argument.argument, argument_text(argument));
  for (std::size_t i = 0; i < std::min(call.launches.size(), kShownLaunches); ++i)
    launch_lines(out, call.launches[i]);
  if (call.launches.size() > kShownLaunches)
    out += fmt::format("  and {} launches more: --json has them\n", call.launches.size() - kShownLaunches);
  roofline_lines(out, sum, report.rooflines);
  return out;
}

std::string count_summary(const CountReport& report) {
  const CallCounters& call = report.call.counters;
  const CounterTotals sum = totals(call);
  std::string out = fmt::format(
      "{:<5} {}: {}, {} FLOPs, {} asked for, {} unique, {:.3f} FLOP/byte", call.workload,
      report.call.description, plural(call.launches.size(), "launch", "launches"), digits_text(sum.flops),
      human_bytes(sum.all().bytes), human_bytes(sum.unique_bytes()), sum.intensity());
  if (const std::string card = card_text(sum, report.card); !card.empty()) out += "; card: " + card;
  if (!report.rooflines.empty()) {
    const Roofline& chip = report.rooflines.front();
    out += fmt::format("; {}: {} bound, at least {}", chip.chip, chip.memory_bound() ? "memory" : "compute",
                       duration_text(chip.least_s));
  }
  return out + "\n";
}

nlohmann::json to_json(const CountReport& report) {
  nlohmann::json out = to_json(report.call.counters);
  out.update({{"candidate", report.call.candidate},
              {"source_hash", report.call.source_hash},
              {"seed", report.call.seed},
              {"description", report.call.description},
              {"card", {{"flops", report.card.flops}, {"bytes", report.card.bytes}}}});
  nlohmann::json& chips = out["rooflines"] = nlohmann::json::array();
  for (const Roofline& chip : report.rooflines) chips.push_back(to_json(chip));
  return out;
}

}  // namespace kgb
