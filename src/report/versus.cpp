// SPDX-License-Identifier: Apache-2.0
// Means of ratios, and the table of two candidates.
#include "report/versus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "report/number_text.hpp"

namespace kgb {
namespace {

constexpr double kOfInterest = 0.02;

double old_over_new(double before, double after) {
  return before / after;
}

std::string reason_line(const VersusSide& side) {
  if (side.verdict == Verdict::pass) return fmt::format("  {}  pass\n", side.file);
  std::string out = fmt::format("  {}  {}", side.file, name_of(side.verdict));
  if (!side.reason) return out + "\n";
  out += ": " + first_line(side.reason->message);
  if (side.reason->line > 0) out += fmt::format(" ({}:{})", side.reason->file, side.reason->line);
  if (!side.reason->workload.empty()) out += "  workload " + side.reason->workload;
  return out + "\n";
}

std::string time_lines(const VersusRow& row) {
  std::string out = fmt::format("  {}: {}\n", row.workload, row.description);
  if (!row.timing || !row.timing->ratio) {
    const std::string why = row.timing ? row.timing->why : row.why;
    return out + fmt::format("    cannot tell: {}\n", why.empty() ? "it was not timed" : why);
  }
  const Timing& t = *row.timing;
  return out + fmt::format("    {} -> {}   {:.3f}x [{:.3f}, {:.3f}]   {}{}\n",
                           duration_text(t.baseline.value_or(0)), duration_text(t.candidate.value_or(0)),
                           *t.ratio, t.ratio_low.value_or(0), t.ratio_high.value_or(0), t.call,
                           t.why.empty() ? "" : ": " + t.why);
}

std::string work_lines(const VersusRow& row) {
  std::string out = fmt::format("  {}: {}\n", row.workload, row.description);
  if (!row.work) return out + fmt::format("    not counted: {}\n", row.why);
  for (const WorkMeasure& measure : work_measures()) {
    const double before = measure.of(row.work->before), after = measure.of(row.work->after);
    const auto number = [](double n) { return digits_text(static_cast<std::uint64_t>(n)); };
    out += fmt::format("    {:<16} {:>15} -> {:>15}   {}\n", measure.name, number(before), number(after),
                       after > 0    ? fmt::format("{:.3f}x", old_over_new(before, after))
                       : before > 0 ? "all saved"
                                    : "none");
  }
  return out;
}

std::string overall_time_line(const Versus& versus) {
  const std::optional<Overall> all = overall_time(versus);
  if (!all) return "overall  cannot tell: no workload has a ratio\n";
  return fmt::format("overall  {:.3f}x [{:.3f}, {:.3f}]   {}   geometric mean of {} of {}\n",
                     all->ratio.estimate, all->ratio.low, all->ratio.high, name_of(overall_call(*all)),
                     all->counted, plural(versus.rows.size(), "workload", "workloads"));
}

std::string overall_work_line(const Versus& versus) {
  std::string out;
  for (const WorkMeasure& measure : work_measures())
    if (const std::optional<Overall> all = overall_work(versus, measure))
      out += fmt::format("{}{} {:.3f}x", out.empty() ? "" : ", ", measure.name, all->ratio.estimate);
  return "overall  " + (out.empty() ? "no workload was counted" : out + "   geometric means") + "\n";
}

}  // namespace

std::span<const WorkMeasure> work_measures() {
  static const std::array<WorkMeasure, 6> measures{{
      {"flops", "FLOPs", [](const CounterTotals& t) { return static_cast<double>(t.flops); }},
      {"integer_operations", "integer work",
       [](const CounterTotals& t) { return static_cast<double>(t.integer_operations); }},
      {"bytes", "bytes asked for", [](const CounterTotals& t) { return static_cast<double>(t.all().bytes); }},
      {"unique_bytes", "unique bytes",
       [](const CounterTotals& t) { return static_cast<double>(t.unique_bytes()); }},
      {"sectors", "sectors", [](const CounterTotals& t) { return static_cast<double>(t.all().sectors); }},
      {"programs", "programs", [](const CounterTotals& t) { return static_cast<double>(t.programs); }},
  }};
  return measures;
}

std::optional<Overall> overall_time(const Versus& versus) {
  Overall all;
  double mean = 0, below = 0, above = 0;
  for (const VersusRow& row : versus.rows) {
    if (!row.timing || !row.timing->ratio || *row.timing->ratio <= 0) continue;
    const Timing& t = *row.timing;
    const double at = std::log(*t.ratio);
    mean += at;
    // An end that is not known, or not positive, leaves the whole side open.
    const auto half = [at](double end, double sign) {
      return end > 0 ? std::max(0.0, sign * (std::log(end) - at)) : HUGE_VAL;
    };
    below += std::pow(half(t.ratio_low.value_or(0), -1), 2);
    above += std::pow(half(t.ratio_high.value_or(0), 1), 2);
    ++all.counted;
  }
  if (all.counted == 0) return std::nullopt;
  const auto n = static_cast<double>(all.counted);
  all.ratio = {std::exp(mean / n), std::exp((mean - std::sqrt(below)) / n),
               std::exp((mean + std::sqrt(above)) / n)};
  return all;
}

std::optional<Overall> overall_work(const Versus& versus, const WorkMeasure& measure) {
  Overall all;
  double mean = 0;
  for (const VersusRow& row : versus.rows) {
    if (!row.work) continue;
    const double before = measure.of(row.work->before), after = measure.of(row.work->after);
    if (before <= 0 || after <= 0) continue;
    mean += std::log(old_over_new(before, after));
    ++all.counted;
  }
  if (all.counted == 0) return std::nullopt;
  const double ratio = std::exp(mean / static_cast<double>(all.counted));
  all.ratio = {ratio, ratio, ratio};
  return all;
}

SpeedCall overall_call(const Overall& overall) {
  return call_of(overall.ratio, kOfInterest);
}

bool both_pass(const Versus& versus) {
  return versus.before.verdict == Verdict::pass && versus.after.verdict == Verdict::pass;
}

std::string versus_text(const Versus& versus) {
  std::string out = fmt::format("{}  {} -> {}  chip {}, seed {}\n", versus.op, versus.before.file,
                                versus.after.file, versus.chip, versus.seed);
  if (!both_pass(versus))
    return out + reason_line(versus.before) + reason_line(versus.after) +
           "no ratios: both must pass. kgbench judge FILE --op " + versus.op + " has all of it\n";
  if (!versus.timed)
    out += "  no times: the virtual machine of chip cpu is no clock. What follows is work as it counts it\n";
  for (const VersusRow& row : versus.rows) out += versus.timed ? time_lines(row) : work_lines(row);
  out += versus.timed ? overall_time_line(versus) : overall_work_line(versus);
  return out + (versus.timed
                    ? "ratios are old time over new: above 1 " + versus.after.file + " is faster\n"
                    : "ratios are old work over new: above 1 " + versus.after.file +
                          " does less of it. Work is not time: on a GPU the same command takes times\n");
}

}  // namespace kgb
