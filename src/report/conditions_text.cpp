// SPDX-License-Identifier: Apache-2.0
// Words for conditions.
#include "report/conditions_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kgb {
namespace {

std::string clock_text(const char* name, const Sampled& mhz) {
  std::string out = fmt::format("{} {:.0f}", name, mhz.first);
  if (mhz.last != mhz.first) out += fmt::format(" to {:.0f}", mhz.last);
  out += " MHz";
  if (mhz.least < std::min(mhz.first, mhz.last)) out += fmt::format(" (down to {:.0f})", mhz.least);
  return out;
}

std::string process_text(const ForeignProcess& process) {
  std::string out = fmt::format("process {} ", process.pid);
  out += process.sm_percent.value_or(0) > 0
             ? fmt::format("computes beside (up to {:.0f} %)", *process.sm_percent)
             : std::string("is there too");
  if (process.memory_bytes)
    out += fmt::format(", {:.1f} GB", 1e-9 * static_cast<double>(*process.memory_bytes));
  return out;
}

void add_part(std::string& out, const std::string& part, const char* between) {
  if (!part.empty()) out += (out.empty() ? "" : between) + part;
}

void join(std::optional<Sampled>& into, const std::optional<Sampled>& other) {
  if (!other) return;
  if (!into) {
    into = other;
    return;
  }
  into->last = other->last;
  into->least = std::min(into->least, other->least);
  into->most = std::max(into->most, other->most);
}

template <typename Item, typename Same>
void join_lists(std::vector<Item>& into, const std::vector<Item>& other, const Same& same) {
  for (const Item& item : other)
    if (std::none_of(into.begin(), into.end(), [&](const Item& had) { return same(had, item); }))
      into.push_back(item);
}

}  // namespace

std::string roof_text(const Timing& timing) {
  if (!timing.roof) return "";
  const RoofShare& r = *timing.roof;
  std::string out =
      fmt::format("{:.0f} % of the {} roof", 1e2 * r.share, r.bound == "memory" ? "memory" : r.peak);
  if (!r.measured) out += " (data sheet)";
  if (r.launch_bound) out += ", launch-bound";
  return out;
}

std::string energy_text(const Timing& timing) {
  if (!timing.energy || !timing.energy->call_mj) return "";
  return fmt::format("{:.3g} mJ a call", *timing.energy->call_mj);
}

std::string conditions_text(const Conditions& c) {
  std::string out;
  if (c.sm_mhz) add_part(out, clock_text("SM", *c.sm_mhz), ", ");
  if (c.memory_mhz) add_part(out, clock_text("memory", *c.memory_mhz), ", ");
  if (c.power_w) add_part(out, fmt::format("at most {:.0f} W", c.power_w->most), ", ");
  if (c.temperature_c) add_part(out, fmt::format("{:.0f} C", c.temperature_c->most), ", ");
  for (const std::string& reason : c.throttled.value_or(std::vector<std::string>()))
    add_part(out, describe_throttle(reason), "; ");
  for (const ForeignProcess& process : c.foreign.value_or(std::vector<ForeignProcess>()))
    add_part(out, process_text(process), "; ");
  return out;
}

Conditions joined_conditions(std::span<const Timing> timings) {
  Conditions all;
  for (const Timing& timing : timings) {
    if (!timing.conditions) continue;
    const Conditions& c = *timing.conditions;
    all.samples += c.samples;
    join(all.sm_mhz, c.sm_mhz);
    join(all.memory_mhz, c.memory_mhz);
    join(all.power_w, c.power_w);
    join(all.temperature_c, c.temperature_c);
    const auto equal = [](const std::string& a, const std::string& b) { return a == b; };
    join_lists(all.unknown, c.unknown, equal);
    if (c.throttled) {
      if (!all.throttled) all.throttled.emplace();
      join_lists(*all.throttled, *c.throttled, equal);
    }
    if (c.foreign) {
      if (!all.foreign) all.foreign.emplace();
      join_lists(*all.foreign, *c.foreign,
                 [](const ForeignProcess& a, const ForeignProcess& b) { return a.pid == b.pid; });
    }
  }
  return all;
}

}  // namespace kgb
