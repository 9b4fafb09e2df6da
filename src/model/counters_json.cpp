// SPDX-License-Identifier: Apache-2.0
// JSON form of counters, as printed and stored.
#include "model/counters.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using Json = nlohmann::json;

Json to_json(const Traffic& t) {
  return {{"requests", t.requests}, {"lanes", t.lanes}, {"bytes", t.bytes}, {"sectors", t.sectors}};
}
Traffic traffic_from(const Json& json) {
  return {json.at("requests"), json.at("lanes"), json.at("bytes"), json.at("sectors")};
}

Json to_json(const ArgumentTraffic& a) {
  return {{"argument", a.argument},
          {"parameters", a.parameters},
          {"read", to_json(a.read)},
          {"written", to_json(a.written)},
          {"atomic", to_json(a.atomic)},
          {"unique_read", a.unique_read},
          {"unique_written", a.unique_written}};
}
ArgumentTraffic argument_from(const Json& json) {
  return {json.at("argument"),
          json.at("parameters"),
          traffic_from(json.at("read")),
          traffic_from(json.at("written")),
          traffic_from(json.at("atomic")),
          json.at("unique_read"),
          json.at("unique_written")};
}

Json to_json(const Work& w) {
  return {{"kind", name_of(w.kind)}, {"type", w.type}, {"count", w.count}};
}
Work work_from(const Json& json) {
  for (int i = 0; i < kWorkKinds; ++i)
    if (json.at("kind") == name_of(static_cast<WorkKind>(i)))
      return {static_cast<WorkKind>(i), json.at("type"), json.at("count")};
  throw Json::other_error::create(501, "there is no kind of work " + json.at("kind").dump(), nullptr);
}

Json to_json(const AccessCount& a) {
  Json out = to_json(a.traffic);
  out.update({{"verb", a.verb}, {"argument", a.argument}, {"file", a.file}, {"line", a.line}});
  return out;
}
AccessCount access_from(const Json& json) {
  return {json.at("verb"), json.at("argument"), json.at("file"), json.at("line"), traffic_from(json)};
}

Json to_json(const LoopCount& l) {
  return {{"file", l.file}, {"line", l.line}, {"entered", l.entered}, {"trips", l.trips}};
}
LoopCount loop_from(const Json& json) {
  return {json.at("file"), json.at("line"), json.at("entered"), json.at("trips")};
}

template <typename Item>
Json list(const std::vector<Item>& items) {
  Json out = Json::array();
  for (const Item& item : items) out.push_back(to_json(item));
  return out;
}
template <typename From>
auto list_from(const Json& json, From from) {
  std::vector<decltype(from(json))> items;
  for (const Json& entry : json) items.push_back(from(entry));
  return items;
}

Json to_json(const CounterTotals& sum) {
  return {{"programs", sum.programs},
          {"flops", sum.flops},
          {"tensor_flops", sum.tensor_flops},
          {"integer_operations", sum.integer_operations},
          {"read", to_json(sum.read)},
          {"written", to_json(sum.written)},
          {"atomic", to_json(sum.atomic)},
          {"unique_read", sum.unique_read},
          {"unique_written", sum.unique_written},
          {"intensity", sum.intensity()},
          {"tensor_share", sum.tensor_share()},
          {"sectors_per_request", sum.all().sectors_per_request()}};
}

LaunchCounters launch_from(const Json& json) {
  return {json.at("kernel"),
          json.at("file"),
          json.at("line"),
          json.at("grid"),
          json.at("programs"),
          list_from(json.at("work"), work_from),
          list_from(json.at("arguments"), argument_from),
          list_from(json.at("accesses"), access_from),
          list_from(json.at("loops"), loop_from)};
}

}  // namespace

Json to_json(const LaunchCounters& launch) {
  return {{"kernel", launch.kernel},
          {"file", launch.file},
          {"line", launch.line},
          {"grid", launch.grid},
          {"programs", launch.programs},
          {"work", list(launch.work)},
          {"arguments", list(launch.arguments)},
          {"accesses", list(launch.accesses)},
          {"loops", list(launch.loops)},
          {"totals", to_json(totals(launch))}};
}

Json to_json(const CallCounters& call) {
  return {{"op", call.op},
          {"workload", call.workload},
          {"call", call.call},
          {"copies", call.copies},
          {"launches", list(call.launches)},
          {"arguments", list(call.arguments)},
          {"totals", to_json(totals(call))}};
}

Result<CallCounters> call_counters_from_json(const Json& json) {
  try {
    return CallCounters{json.at("op"),
                        json.at("workload"),
                        json.at("call"),
                        json.at("copies"),
                        list_from(json.at("launches"), launch_from),
                        list_from(json.at("arguments"), argument_from)};
  } catch (const Json::exception& cause) {
    return user_error(std::string("these are no counters of a call: ") + cause.what());
  }
}

}  // namespace kgb
