// SPDX-License-Identifier: Apache-2.0
// The disclosed facts of an evaluation as lines.
#include "judge/feedback.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "judge/disclosure.hpp"
#include "judge/finding_help.hpp"

namespace kgb {
namespace {

constexpr std::size_t kMostOthers = 6;

// Further lines of a text stand below the first, so that none of them looks like a key.
std::string line(std::string_view key, std::string_view text) {
  std::string out;
  for (const std::string& one : split_lines(text))
    out += fmt::format("  {:<14} {}\n", out.empty() ? key : std::string_view(), one);
  return out;
}

std::string where(const ToldFinding& told) {
  return told.line > 0 ? fmt::format("{}:{}", told.file, told.line) : told.file;
}

std::string reason_text(const ToldFinding& told) {
  std::string out = line("reason", told.message) + line("kind", told.kind);
  if (const FindingHelp* help = finding_help(told.kind)) {
    out += line("seen", help->seen);
    out += line("what to do", help->cure);
  }
  if (!told.workload.empty()) out += line("workload", told.workload + ": " + told.description);
  if (!told.file.empty()) out += line("where", where(told));
  for (const auto& [key, value] : told.details) out += line(key, value);
  return out;
}

std::string others_text(const std::vector<ToldFinding>& others) {
  std::string out;
  for (std::size_t i = 0; i < others.size() && i < kMostOthers; ++i) {
    const ToldFinding& told = others[i];
    std::string text = told.message;
    if (!told.workload.empty()) text += fmt::format(" ({})", told.workload);
    if (!told.file.empty()) text += fmt::format(" ({})", where(told));
    out += line(told.advisory ? "note" : "also", text);
  }
  if (others.size() > kMostOthers) out += line("", fmt::format("and {} more", others.size() - kMostOthers));
  return out;
}

std::string passed_text(const std::vector<ToldTier>& tiers) {
  std::string out;
  for (const ToldTier& tier : tiers)
    out += fmt::format("{}{} {}/{}", out.empty() ? "" : ", ", tier.tier, tier.passed, tier.judged);
  return out.empty() ? "no workload was run to its end" : out + " workloads";
}

std::string worst_text(const ToldWorst& worst) {
  if (worst.ratio == 0) return "none: every public workload is exact";
  return fmt::format("{:.3g} x the bound, {} of {}", worst.ratio, worst.at, worst.workload);
}

std::string timing_text(const Timing& timing) {
  std::string out = (timing.workload.empty() ? "a hidden workload" : timing.workload) + ": ";
  if (timing.ratio)
    out += fmt::format("{:.3g}x [{:.3g}, {:.3g}] ", *timing.ratio, timing.ratio_low.value_or(NAN),
                       timing.ratio_high.value_or(NAN));
  out += timing.call;
  if (timing.ratio) out += " against " + timing.baseline_name;
  if (timing.candidate) out += fmt::format(", {:.4g} us", 1e6 * *timing.candidate);
  if (timing.baseline) out += fmt::format(" against {:.4g} us", 1e6 * *timing.baseline);
  if (!timing.why.empty()) out += ": " + timing.why;
  return out;
}

std::string target_text(const TargetResult& target) {
  if (!target.ok) return fmt::format("{}: {}", target.target, target.message.empty() ? "no" : target.message);
  if (target.kernels == 0) return target.target + ": compiles";
  return fmt::format("{}: compiles, {} registers, {} bytes of shared memory, {} spills", target.target,
                     target.registers, target.shared_bytes, target.spills);
}

}  // namespace

std::string feedback_text(const Evaluation& evaluation) {
  const Disclosure told = disclose(evaluation);
  std::string out = fmt::format("{}  {}  {}\n", told.op, told.candidate, name_of(told.verdict));
  if (told.reason) out += reason_text(*told.reason);
  out += line("gate", fmt::format("{} of static, compile, correct, honest, fast", name_of(told.reached)));
  out += line("passed", passed_text(told.tiers));
  if (told.worst) out += line("worst error", worst_text(*told.worst));
  out += others_text(told.others);
  for (const Timing& timing : told.timings) out += line("time", timing_text(timing));
  if (told.verdict == Verdict::pass && told.timings.empty())
    out +=
        line("time", told.chip == "cpu" && told.mode == "plan"
                         ? "none: on the chip cpu Triton kernels run on a virtual machine, which is no clock"
                         : "none was taken");
  for (const TargetResult& target : told.targets) out += line("target", target_text(target));
  if (told.no_kernel)
    out += line("note", "this operator has no honest kernel; it is judged on contract and values");
  return out;
}

}  // namespace kgb
