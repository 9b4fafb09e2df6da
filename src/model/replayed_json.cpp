// SPDX-License-Identifier: Apache-2.0
// JSON of replays.
#include <algorithm>
#include <cmath>

#include "model/replayed.hpp"
#include "nlohmann/json.hpp"

namespace kgb {
namespace {

using ReplayJson = nlohmann::json;

constexpr std::size_t kMostNodes = 65536;

ReplayJson replayed_launch_json(const ReplayedLaunch& launch) {
  return {{"kernel", launch.kernel},       {"file", launch.file},
          {"line", launch.line},           {"grid", launch.grid},
          {"warps", launch.warps},         {"shared_bytes", launch.shared_bytes},
          {"registers", launch.registers}, {"local_bytes", launch.local_bytes}};
}

ReplayedLaunch replayed_launch_from(const ReplayJson& json) {
  ReplayedLaunch launch;
  json.at("kernel").get_to(launch.kernel);
  json.at("file").get_to(launch.file);
  json.at("line").get_to(launch.line);
  json.at("grid").get_to(launch.grid);
  json.at("warps").get_to(launch.warps);
  json.at("shared_bytes").get_to(launch.shared_bytes);
  json.at("registers").get_to(launch.registers);
  json.at("local_bytes").get_to(launch.local_bytes);
  return launch;
}

bool is_duration(double ns) {
  return std::isfinite(ns) && ns >= 0;
}

// What a profile can be made of.
bool plausible(const Replayed& replayed) {
  return replayed.launches.size() <= kMostNodes && replayed.nodes.size() <= kMostNodes &&
         std::all_of(replayed.call_ns.begin(), replayed.call_ns.end(), is_duration) &&
         std::all_of(replayed.nodes.begin(), replayed.nodes.end(), [](const ReplayedNode& node) {
           return is_duration(node.start_ns) && is_duration(node.ns);
         });
}

}  // namespace

std::string to_json_text(const Replayed& replayed) {
  ReplayJson out{{"device", replayed.device},
                 {"driver", replayed.driver},
                 {"call_ns", replayed.call_ns},
                 {"untimed", replayed.untimed},
                 {"untraced", replayed.untraced}};
  for (const char* key : {"launches", "nodes", "findings"}) out[key] = ReplayJson::array();
  for (const ReplayedLaunch& launch : replayed.launches)
    out["launches"].push_back(replayed_launch_json(launch));
  for (const ReplayedNode& node : replayed.nodes)
    out["nodes"].push_back({{"name", node.name}, {"start_ns", node.start_ns}, {"ns", node.ns}});
  for (const Finding& finding : replayed.findings) out["findings"].push_back(to_json(finding));
  return out.dump(-1, ' ', false, ReplayJson::error_handler_t::replace);
}

Result<Replayed> replayed_from_json(std::string_view text) {
  const ReplayJson json = ReplayJson::parse(text, nullptr, false);
  if (!json.is_object()) return host_error("the replay of the plan gave no JSON object");
  try {
    Replayed replayed;
    json.at("device").get_to(replayed.device);
    json.at("driver").get_to(replayed.driver);
    json.at("untimed").get_to(replayed.untimed);
    json.at("untraced").get_to(replayed.untraced);
    json.at("call_ns").get_to(replayed.call_ns);
    for (const ReplayJson& launch : json.at("launches"))
      replayed.launches.push_back(replayed_launch_from(launch));
    for (const ReplayJson& node : json.at("nodes"))
      replayed.nodes.push_back({node.at("name"), node.at("start_ns"), node.at("ns")});
    for (const ReplayJson& finding : json.at("findings"))
      replayed.findings.push_back(finding_from_json(finding));
    if (plausible(replayed)) return replayed;
    return host_error("the replay of the plan gave a malformed answer: a time that is none, or too many");
  } catch (const ReplayJson::exception& error) {
    return host_error(std::string("the replay of the plan gave a malformed answer: ") + error.what());
  }
}

}  // namespace kgb
