// SPDX-License-Identifier: Apache-2.0
// JSON form of findings and evaluations, as the store keeps them.
#include "model/verdict.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

Json number(double value) {  // JSON has no infinity; a ratio can be one
  if (value != value) return "nan";
  if (value > std::numeric_limits<double>::max()) return "inf";
  if (value < std::numeric_limits<double>::lowest()) return "-inf";
  return value;
}

double number_from(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  return std::numeric_limits<double>::quiet_NaN();
}

// Reads `key` into `target` when it is there and has the right type.
void take(const Json& json, const char* key, std::string& target) {
  if (const auto it = json.find(key); it != json.end() && it->is_string()) target = it->get<std::string>();
}
void take(const Json& json, const char* key, bool& target) {
  if (const auto it = json.find(key); it != json.end() && it->is_boolean()) target = it->get<bool>();
}
template <typename Int>
  requires std::is_integral_v<Int>
void take(const Json& json, const char* key, Int& target) {
  if (const auto it = json.find(key); it != json.end() && it->is_number_integer()) target = it->get<Int>();
}
void take(const Json& json, const char* key, double& target) {
  if (const auto it = json.find(key); it != json.end() && (it->is_number() || it->is_string()))
    target = number_from(*it);
}
void take(const Json& json, const char* key, std::optional<double>& target) {
  if (const auto it = json.find(key); it != json.end() && !it->is_null()) target = number_from(*it);
}
template <typename Map>
void take_map(const Json& json, const char* key, Map& target) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_object()) return;
  for (const auto& [name, value] : it->items()) {
    if constexpr (std::is_same_v<typename Map::mapped_type, std::string>) {
      if (value.is_string()) target[name] = value.template get<std::string>();
    } else {
      if (value.is_number()) target[name] = value.template get<double>();
    }
  }
}
Verdict verdict_from(const Json& json) {
  std::string name;
  take(json, "verdict", name);
  return verdict_named(name).value_or(Verdict::infra);
}
template <typename Item, typename From>
void take_list(const Json& json, const char* key, std::vector<Item>& target, From from) {
  const auto it = json.find(key);
  if (it == json.end() || !it->is_array()) return;
  for (const Json& entry : *it)
    if (entry.is_object()) target.push_back(from(entry));
}

Json to_json(const WorkloadResult& w) {
  return {{"id", w.id},
          {"tier", w.tier},
          {"description", w.description},
          {"verdict", name_of(w.verdict)},
          {"worst_ratio", number(w.worst_ratio)},
          {"worst_at", w.worst_at},
          {"elements", w.elements},
          {"plan_hash", w.plan_hash}};
}
WorkloadResult workload_from(const Json& json) {
  WorkloadResult w;
  take(json, "id", w.id);
  take(json, "tier", w.tier);
  take(json, "description", w.description);
  w.verdict = verdict_from(json);
  take(json, "worst_ratio", w.worst_ratio);
  take(json, "worst_at", w.worst_at);
  take(json, "elements", w.elements);
  take(json, "plan_hash", w.plan_hash);
  return w;
}

Json to_json(const TargetResult& t) {
  return {{"target", t.target},
          {"ok", t.ok},
          {"message", t.message},
          {"registers", t.registers},
          {"shared_bytes", t.shared_bytes},
          {"spills", t.spills},
          {"kernels", t.kernels}};
}
TargetResult target_from(const Json& json) {
  TargetResult t;
  t.ok = false;
  take(json, "target", t.target);
  take(json, "ok", t.ok);
  take(json, "message", t.message);
  take(json, "registers", t.registers);
  take(json, "shared_bytes", t.shared_bytes);
  take(json, "spills", t.spills);
  take(json, "kernels", t.kernels);
  return t;
}

Json to_json(const Published& p) {
  Json out{{"why", p.why}};
  if (p.candidate) out["candidate"] = number(*p.candidate);
  if (p.baseline) out["baseline"] = number(*p.baseline);
  return out;
}
Published published_from(const Json& json) {
  Published p;
  take(json, "candidate", p.candidate);
  take(json, "baseline", p.baseline);
  take(json, "why", p.why);
  return p;
}

Json to_json(const CensusRow& row) {
  return {{"kind", row.kind},   {"name", row.name}, {"library", row.library}, {"file", row.file},
          {"count", row.count}, {"ns", row.ns},     {"helper", row.helper}};
}
CensusRow census_from(const Json& json) {
  CensusRow row;
  take(json, "kind", row.kind);
  take(json, "name", row.name);
  take(json, "library", row.library);
  take(json, "file", row.file);
  take(json, "count", row.count);
  take(json, "ns", row.ns);
  take(json, "helper", row.helper);
  return row;
}

Json to_json(const Timing& t) {
  Json out{{"workload", t.workload}, {"call", t.call}, {"baseline_name", t.baseline_name}, {"why", t.why}};
  const auto put = [&](const char* key, const std::optional<double>& value) {
    if (value) out[key] = number(*value);
  };
  put("candidate", t.candidate);
  put("baseline", t.baseline);
  put("ratio", t.ratio);
  put("ratio_low", t.ratio_low);
  put("ratio_high", t.ratio_high);
  if (t.conditions) out["conditions"] = to_json(*t.conditions);
  if (t.energy) out["energy"] = to_json(*t.energy);
  if (t.roof) out["roof"] = to_json(*t.roof);
  if (!t.span.empty()) out["span"] = t.span;
  if (t.published) out["published"] = to_json(*t.published);
  return out;
}
Timing timing_from(const Json& json) {
  Timing t;
  take(json, "workload", t.workload);
  take(json, "candidate", t.candidate);
  take(json, "baseline", t.baseline);
  take(json, "ratio", t.ratio);
  take(json, "ratio_low", t.ratio_low);
  take(json, "ratio_high", t.ratio_high);
  take(json, "call", t.call);
  take(json, "baseline_name", t.baseline_name);
  take(json, "why", t.why);
  if (const auto it = json.find("conditions"); it != json.end()) t.conditions = conditions_from_json(*it);
  if (const auto it = json.find("energy"); it != json.end()) t.energy = energy_from_json(*it);
  if (const auto it = json.find("roof"); it != json.end()) t.roof = roof_from_json(*it);
  take(json, "span", t.span);
  if (const auto it = json.find("published"); it != json.end()) t.published = published_from(*it);
  return t;
}

Json to_json(const JudgedOn& d) {
  return {{"name", d.name}, {"uuid", d.uuid}, {"index", d.index}, {"instead_of", d.instead_of}};
}
JudgedOn judged_on_from(const Json& json) {
  JudgedOn d;
  take(json, "name", d.name);
  take(json, "uuid", d.uuid);
  take(json, "index", d.index);
  if (const auto it = json.find("instead_of"); it != json.end() && it->is_array())
    for (const Json& line : *it)
      if (line.is_string()) d.instead_of.push_back(line.get<std::string>());
  return d;
}

template <typename Item>
Json list_of(const std::vector<Item>& items) {
  Json out = Json::array();
  for (const Item& item : items) out.push_back(to_json(item));
  return out;
}

}  // namespace

Json to_json(const Finding& f) {
  return {{"kind", f.kind}, {"gate", name_of(f.gate)}, {"message", f.message}, {"workload", f.workload},
          {"file", f.file}, {"line", f.line},          {"details", f.details}};
}

Finding finding_from_json(const Json& json) {
  Finding f;
  f.kind = "infra";
  if (!json.is_object()) return f;
  take(json, "kind", f.kind);
  std::string gate;
  take(json, "gate", gate);
  f.gate = gate_named(gate).value_or(Gate::correct);
  take(json, "message", f.message);
  take(json, "workload", f.workload);
  take(json, "file", f.file);
  take(json, "line", f.line);
  take_map(json, "details", f.details);
  return f;
}

Json to_json(const Evaluation& e) {
  Json findings = Json::array();
  for (const Finding& finding : e.findings) findings.push_back(to_json(finding));
  Json out{{"schema", e.schema},
           {"op", e.op},
           {"candidate", e.candidate},
           {"source_hash", e.source_hash},
           {"contestant", e.contestant},
           {"chip", e.chip},
           {"language", e.language},
           {"tolerance", e.tolerance},
           {"mode", e.mode},
           {"profile", name_of(e.profile)},
           {"verdict", name_of(e.verdict)},
           {"reached", name_of(e.reached)},
           {"no_kernel", e.no_kernel},
           {"findings", std::move(findings)},
           {"workloads", list_of(e.workloads)},
           {"targets", list_of(e.targets)},
           {"timings", list_of(e.timings)},
           {"stage_ms", e.stage_ms},
           {"seed", e.seed}};
  if (e.device) out["device"] = to_json(*e.device);
  if (!e.memcheck.empty()) out["memcheck"] = e.memcheck;
  if (!e.census.empty()) out["census"] = list_of(e.census);
  return out;
}

std::string json_text(const Evaluation& evaluation) {
  return to_json(evaluation).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Evaluation evaluation_from_json(const Json& json) {
  Evaluation e;
  if (!json.is_object()) return e;
  take(json, "schema", e.schema);
  take(json, "op", e.op);
  take(json, "candidate", e.candidate);
  take(json, "source_hash", e.source_hash);
  take(json, "contestant", e.contestant);
  take(json, "chip", e.chip);
  take(json, "language", e.language);
  take(json, "tolerance", e.tolerance);
  take(json, "mode", e.mode);
  // Stores of before there were profiles are careful; what a later version adds is never taken for that.
  std::string profile{name_of(Profile::careful)};
  take(json, "profile", profile);
  e.profile = profile_named(profile).value_or(Profile::quick);
  e.verdict = verdict_from(json);
  std::string reached;
  take(json, "reached", reached);
  e.reached = gate_named(reached).value_or(Gate::static_);
  take(json, "no_kernel", e.no_kernel);
  take_list(json, "findings", e.findings, finding_from_json);
  take_list(json, "workloads", e.workloads, workload_from);
  take_list(json, "targets", e.targets, target_from);
  take_list(json, "timings", e.timings, timing_from);
  take_list(json, "census", e.census, census_from);
  take_map(json, "stage_ms", e.stage_ms);
  take(json, "memcheck", e.memcheck);
  if (const auto it = json.find("device"); it != json.end() && it->is_object())
    e.device = judged_on_from(*it);
  take(json, "seed", e.seed);
  return e;
}

}  // namespace kgb
