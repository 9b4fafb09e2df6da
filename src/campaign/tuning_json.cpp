// SPDX-License-Identifier: Apache-2.0
// What became of a tuned kernel, as text and as JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "campaign/tuning.hpp"

namespace kgb {
namespace {

using nlohmann::json;

std::string micros(const std::optional<double>& seconds) {
  return seconds ? fmt::format("{:.2f} us", 1e6 * *seconds) : "no time";
}

std::string timing_text(const Timing& timing, const std::string& workload) {
  if (!timing.ratio) return fmt::format("    {}: cannot tell: {}\n", workload, timing.why);
  return fmt::format("    {}: {} -> {}, {:.2f}x [{:.2f}, {:.2f}] {}\n", workload, micros(timing.baseline),
                     micros(timing.candidate), *timing.ratio, timing.ratio_low.value_or(0),
                     timing.ratio_high.value_or(0), timing.call);
}

// The workload of a timing: "t1" is the second.
std::string workload_of(const Timing& timing, const TuneRow& row) {
  for (std::size_t i = 0; i < row.workloads.size(); ++i)
    if (timing.workload == "t" + std::to_string(i)) return row.workloads[i];
  return timing.workload;
}

json timing_json(const Timing& timing, const TuneRow& row) {
  json out{{"workload", workload_of(timing, row)}, {"call", timing.call}, {"why", timing.why}};
  const auto put = [&](const char* key, const std::optional<double>& value) {
    out[key] = value ? json(*value) : json();
  };
  put("seed_s", timing.baseline);
  put("tuned_s", timing.candidate);
  put("ratio", timing.ratio);
  put("ratio_low", timing.ratio_low);
  put("ratio_high", timing.ratio_high);
  return out;
}

}  // namespace

std::string tune_text(const TuneRow& row) {
  if (!row.tuned) return fmt::format("{}  not tuned: {}\n", row.op, row.error);
  const method::Tuned& tuned = *row.tuned;
  std::string text = fmt::format("{}  {}; {} of {} proposals won, {} were wrong, {} axes, {:.0f} s\n", row.op,
                                 tuned.improved() ? "tuned" : "unchanged: " + tuned.why, tuned.found.steps,
                                 tuned.found.races, tuned.found.wrong, tuned.axes, row.seconds);
  if (!tuned.improved()) return text;
  for (const Timing& timing : tuned.evaluation.timings) text += timing_text(timing, workload_of(timing, row));
  for (const method::Change& change : tuned.changes)
    text += fmt::format("    line {}: {}: {} -> {}\n", change.line, change.what, change.from, change.to);
  return text;
}

json tune_json(const TuneRow& row) {
  json out{{"op", row.op}, {"workloads", row.workloads}, {"seconds", row.seconds}};
  if (!row.tuned) {
    out["error"] = row.error;
    return out;
  }
  const method::Tuned& tuned = *row.tuned;
  out.update({{"improved", tuned.improved()},
              {"why", tuned.why},
              {"axes", tuned.axes},
              {"races", tuned.found.races},
              {"wrong", tuned.found.wrong},
              {"steps", tuned.found.steps},
              {"verdict", std::string(name_of(tuned.evaluation.verdict))},
              {"source", tuned.source}});
  out["timings"] = json::array();
  for (const Timing& timing : tuned.evaluation.timings) out["timings"].push_back(timing_json(timing, row));
  out["changes"] = json::array();
  for (const method::Change& change : tuned.changes)
    out["changes"].push_back(
        {{"what", change.what}, {"line", change.line}, {"from", change.from}, {"to", change.to}});
  return out;
}

}  // namespace kgb
