// SPDX-License-Identifier: Apache-2.0
// compare_kernels: two candidates for one operator on the same workloads and values.
#include <fmt/format.h>

#include <optional>

#include "judge/feedback.hpp"
#include "judge/judge.hpp"
#include "serve/tools.hpp"
#include "stats/order.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

constexpr double kMargin = 0.02;  // differences below it are of no interest

// How much faster b is than a on one workload. Both were timed against one baseline, in turns of their own:
// the quotient of the two speedups, with bounds that hold where both intervals do.
struct Quotient {
  std::string workload;  // empty: a hidden one
  Interval ratio;
};

std::optional<Quotient> quotient_of(const Timing& a, const Timing& b) {
  if (a.workload != b.workload || !a.ratio || !b.ratio || !a.ratio_low || !b.ratio_low || !a.ratio_high ||
      !b.ratio_high)
    return std::nullopt;
  if (*a.ratio <= 0 || *a.ratio_low <= 0) return std::nullopt;
  return Quotient{a.workload,
                  {*b.ratio / *a.ratio, *b.ratio_low / *a.ratio_high, *b.ratio_high / *a.ratio_low}};
}

std::vector<Quotient> quotients_of(const Evaluation& a, const Evaluation& b) {
  std::vector<Quotient> quotients;
  for (const Timing& one : a.timings)
    for (const Timing& other : b.timings)
      if (auto quotient = quotient_of(one, other)) {
        if (!is_public_workload(a, one.workload)) quotient->workload.clear();
        quotients.push_back(std::move(*quotient));
      }
  return quotients;
}

// Why there is no ratio.
std::string untimed_reason(const Evaluation& a, const Evaluation& b) {
  if (a.verdict != Verdict::pass || b.verdict != Verdict::pass) return "only candidates that pass are timed";
  if (a.chip == "cpu" && (a.mode == "plan" || b.mode == "plan"))
    return "this chip cannot time Triton kernels: on cpu they run on a virtual machine, which is no clock";
  return "the two were not timed on a workload that both have";
}

std::string faster_text(const std::vector<Quotient>& quotients, const std::string& reason) {
  if (quotients.empty()) return "  no ratio: " + reason + "\n";
  std::string text;
  for (const Quotient& q : quotients)
    text += fmt::format("  {:<18} b is {:.3g}x as fast as a [{:.3g}, {:.3g}]: {}\n",
                        q.workload.empty() ? "a hidden workload" : q.workload, q.ratio.estimate, q.ratio.low,
                        q.ratio.high, name_of(call_of(q.ratio, kMargin)));
  return text +
         "  each a quotient of two speedups over one baseline; its interval holds where both of theirs do\n";
}

json faster_json(const std::vector<Quotient>& quotients) {
  json list = json::array();
  for (const Quotient& q : quotients)
    list.push_back({{"workload", q.workload.empty() ? "hidden" : q.workload},
                    {"ratio", q.ratio.estimate},
                    {"low", q.ratio.low},
                    {"high", q.ratio.high},
                    {"call", name_of(call_of(q.ratio, kMargin))}});
  return list;
}

Result<ToolAnswer> compare(Workbench& bench, const json& arguments, const CallContext& context) {
  const std::uint64_t seed = fresh_seed();
  std::vector<Evaluation> evaluations;
  for (const bool second : {false, true}) {
    Asked asked = asked_of(arguments, context, second ? "b" : "a");
    asked.seed = seed;
    asked.progress = gate_progress(context, second ? "b: " : "a: ", second ? 5 : 0, 10);
    KGB_TRY(Evaluation evaluation, bench.judge(asked));
    evaluations.push_back(std::move(evaluation));
  }
  const Evaluation &a = evaluations[0], &b = evaluations[1];
  const std::vector<Quotient> quotients = quotients_of(a, b);
  const std::string reason = quotients.empty() ? untimed_reason(a, b) : "";
  KGB_TRY(ToolAnswer told_a, told(bench, a));
  KGB_TRY(ToolAnswer told_b, told(bench, b));
  ToolAnswer answer;
  answer.text = fmt::format("a: {}, b: {}\n{}\na  {}\nb  {}", name_of(a.verdict), name_of(b.verdict),
                            faster_text(quotients, reason), told_a.text, told_b.text);
  answer.structured = {{"a", std::move(told_a.structured)},
                       {"b", std::move(told_b.structured)},
                       {"b_over_a", faster_json(quotients)},
                       {"why_no_ratio", reason}};
  return answer;
}

}  // namespace

Tool tool_compare_kernels(const std::shared_ptr<Workbench>& bench) {
  Tool tool;
  tool.name = "compare_kernels";
  tool.title = "Compare two kernels";
  tool.description =
      "Two candidates for one operator, judged on the same public and hidden workloads and values: both "
      "verdicts side by side and, where the chip can time both, how much faster the second is, with an "
      "interval.";
  tool.input_schema = object_schema({{"op", operator_schema()},
                                     {"source_a", source_schema("the first candidate")},
                                     {"source_b", source_schema("the second candidate")},
                                     {"language_a", language_schema()},
                                     {"language_b", language_schema()}},
                                    {"op", "source_a", "source_b"});
  tool.slow = true;
  tool.run = [bench](const json& arguments, const CallContext& context) {
    return compare(*bench, arguments, context);
  };
  return tool;
}

}  // namespace kgb::serve
