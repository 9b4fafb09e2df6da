// SPDX-License-Identifier: Apache-2.0
// JSON form of a timing's conditions, as the store keeps them. Reading never fails: what is missing or of the
// wrong type is unknown.
#include <nlohmann/json.hpp>

#include "base/json_text.hpp"
#include "model/conditions.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

std::optional<double> number_at(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_number() ? std::optional(it->get<double>()) : std::nullopt;
}
bool flag_at(const Json& json, const char* key) {
  const auto it = json.find(key);
  return it != json.end() && it->is_boolean() && it->get<bool>();
}
std::optional<std::vector<std::string>> texts_at(const Json& json, const char* key) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_array()) return std::nullopt;
  std::vector<std::string> texts;
  for (const Json& item : *it)
    if (item.is_string()) texts.push_back(item.get<std::string>());
  return texts;
}

Json sampled_json(const Sampled& s) {
  return {{"start", s.first}, {"end", s.last}, {"least", s.least}, {"most", s.most}};
}
std::optional<Sampled> sampled_at(const Json& json, const char* key) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_object()) return std::nullopt;
  return Sampled{number_at(*it, "start").value_or(0), number_at(*it, "end").value_or(0),
                 number_at(*it, "least").value_or(0), number_at(*it, "most").value_or(0)};
}

ForeignProcess process_from(const Json& json) {
  ForeignProcess process;
  process.pid = static_cast<std::int64_t>(number_at(json, "pid").value_or(0));
  if (const auto bytes = number_at(json, "memory_bytes"))
    process.memory_bytes = static_cast<std::int64_t>(*bytes);
  process.sm_percent = number_at(json, "sm_percent");
  return process;
}

}  // namespace

Json to_json(const Conditions& c) {
  Json out{{"samples", c.samples}, {"unknown", c.unknown}};
  const auto put = [&](const char* key, const std::optional<Sampled>& value) {
    if (value) out[key] = sampled_json(*value);
  };
  put("sm_mhz", c.sm_mhz);
  put("memory_mhz", c.memory_mhz);
  put("power_w", c.power_w);
  put("temperature_c", c.temperature_c);
  if (c.throttled) out["throttled"] = *c.throttled;
  if (!c.foreign) return out;
  out["foreign"] = Json::array();
  for (const ForeignProcess& process : *c.foreign) {
    Json row{{"pid", process.pid}};
    if (process.memory_bytes) row["memory_bytes"] = *process.memory_bytes;
    if (process.sm_percent) row["sm_percent"] = *process.sm_percent;
    out["foreign"].push_back(std::move(row));
  }
  return out;
}

Conditions conditions_from_json(const Json& json) {
  Conditions c;
  if (!json.is_object()) return c;
  c.samples = static_cast<int>(number_at(json, "samples").value_or(0));
  c.sm_mhz = sampled_at(json, "sm_mhz");
  c.memory_mhz = sampled_at(json, "memory_mhz");
  c.power_w = sampled_at(json, "power_w");
  c.temperature_c = sampled_at(json, "temperature_c");
  c.throttled = texts_at(json, "throttled");
  c.unknown = texts_at(json, "unknown").value_or(std::vector<std::string>());
  if (const auto it = json.find("foreign"); it != json.end() && it->is_array()) {
    c.foreign.emplace();
    for (const Json& row : *it)
      if (row.is_object()) c.foreign->push_back(process_from(row));
  }
  return c;
}

Json to_json(const Energy& energy) {
  return energy.call_mj ? Json{{"call_mj", *energy.call_mj}} : Json{{"why", energy.why}};
}

Energy energy_from_json(const Json& json) {
  if (!json.is_object()) return {};
  return {number_at(json, "call_mj"), text_in(json, "why")};
}

Json to_json(const RoofShare& r) {
  return {{"least_s", r.least_s},
          {"share", r.share},
          {"bound", r.bound},
          {"peak", r.peak},
          {"rate", r.rate},
          {"measured", r.measured},
          {"launch_bound", r.launch_bound}};
}

RoofShare roof_from_json(const Json& json) {
  RoofShare r;
  if (!json.is_object()) return r;
  r.least_s = number_at(json, "least_s").value_or(0);
  r.share = number_at(json, "share").value_or(0);
  r.bound = text_in(json, "bound");
  r.peak = text_in(json, "peak");
  r.rate = number_at(json, "rate").value_or(0);
  r.measured = flag_at(json, "measured");
  r.launch_bound = flag_at(json, "launch_bound");
  return r;
}

}  // namespace kgb
