// SPDX-License-Identifier: Apache-2.0
// Reads and edits the requests of agents, who may be hostile.
#include "llm/proxy_request.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <vector>

#include "base/text.hpp"

namespace kgb::llm {
namespace {

using Ordered = nlohmann::ordered_json;  // what is edited keeps its order

constexpr int kMaxSchemaDepth = 200;  // schemas of tools nest

// Notes what no reader agrees on: a key that comes twice may be seen in its first form here and in its second
// by the model server.
class Strict {
 public:
  bool operator()(int depth, Ordered::parse_event_t event, Ordered& value) {
    if (depth > kMaxSchemaDepth) too_deep_ = true;
    if (event == Ordered::parse_event_t::object_start) keys_.emplace_back();
    if (event == Ordered::parse_event_t::object_end && !keys_.empty()) keys_.pop_back();
    if (event == Ordered::parse_event_t::key && !keys_.empty() &&
        !keys_.back().insert(value.get<std::string>()).second)
      twice_ = true;
    return !too_deep_;
  }
  [[nodiscard]] std::string problem() const {
    if (too_deep_) return "the request nests too deep";
    return twice_ ? "the request has a key twice in one object" : "";
  }
  Strict() = default;

 private:
  std::vector<std::set<std::string>> keys_;
  bool too_deep_ = false, twice_ = false;
};

Refusal bad_request(std::string message) {
  return {400, std::move(message)};
}

Refusal hosted(const std::string& what) {
  return {403, what + " is run by the provider and is off here: a contestant has the model alone"};
}

// -- what is refused ----------------------------------------------------------------------------------------

bool runs_at_the_agent(Wire wire, const std::string& type) {
  static constexpr std::array<std::string_view, 2> kChat{"function", "custom"};
  static constexpr std::array<std::string_view, 5> kResponses{"function", "custom", "local_shell", "shell",
                                                              "apply_patch"};
  if (wire == Wire::openai_chat) return std::find(kChat.begin(), kChat.end(), type) != kChat.end();
  if (wire == Wire::openai_responses)
    return std::find(kResponses.begin(), kResponses.end(), type) != kResponses.end();
  // Anthropic dates the types of the tools that it knows but the client runs.
  static constexpr std::array<std::string_view, 4> kDated{"bash_", "text_editor_", "computer_", "memory_"};
  return type == "custom" || std::any_of(kDated.begin(), kDated.end(),
                                         [&](std::string_view known) { return type.starts_with(known); });
}

std::optional<Refusal> refuse_tools(Wire wire, const Ordered& request) {
  const auto tools = request.find("tools");
  if (tools == request.end() || tools->is_null()) return std::nullopt;
  if (!tools->is_array()) return bad_request("tools must be a list");
  for (const Ordered& tool : *tools) {
    if (!tool.is_object()) return bad_request("a tool must be an object");
    const auto type = tool.find("type");
    if (type == tool.end() && wire == Wire::anthropic) continue;
    if (type == tool.end() || !type->is_string()) return bad_request("a tool needs a type");
    const auto name = type->get<std::string>();
    if (!runs_at_the_agent(wire, name)) return hosted("the tool " + in_quotes(name));
  }
  return std::nullopt;
}

bool is_set(const Ordered& request, const char* key) {
  const auto found = request.find(key);
  return found != request.end() && !found->is_null() && !(found->is_boolean() && !found->get<bool>()) &&
         !(found->is_array() && found->empty());
}

std::optional<Refusal> refuse(Wire wire, const Ordered& request) {
  if (const auto n = request.find("n"); n != request.end() && !n->is_null() && *n != 1)
    return bad_request(
        "one choice a call here: servers do not agree on how several are counted; leave out n");
  if (is_set(request, "background"))
    return bad_request("a reply in the background cannot be counted; leave out background");
  for (const char* key : {"web_search_options", "mcp_servers"})
    if (is_set(request, key)) return hosted(key);
  return refuse_tools(wire, request);
}

// -- what is changed ----------------------------------------------------------------------------------------

// True where `request` was changed.
bool set(Ordered& request, const char* key, const Ordered& value) {
  const auto found = request.find(key);
  if (found != request.end() && *found == value) return false;
  request[key] = value;
  return true;
}

bool within(const Ordered& value, std::int64_t most) {
  return value.is_number_unsigned() && value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most);
}

bool cap_tokens(Wire wire, Ordered& request, const RequestLimits& limits) {
  if (limits.most_tokens <= 0) return false;
  std::vector<const char*> names{"max_tokens"};
  if (wire == Wire::openai_responses) names = {"max_output_tokens"};
  if (wire == Wire::openai_chat) names.push_back("max_completion_tokens");
  bool found = false, changed = false;
  for (const char* name : names) {
    const auto value = request.find(name);
    if (value == request.end()) continue;
    found = true;
    if (!within(*value, limits.most_tokens)) changed |= set(request, name, limits.most_tokens);
  }
  if (found) return changed;
  return set(request, limits.body.max_completion_tokens ? names.back() : names.front(), limits.most_tokens);
}

bool ask_for_usage(Ordered& request) {
  Ordered options = Ordered::object();
  const auto found = request.find("stream_options");
  if (found != request.end() && found->is_object()) options = *found;
  options["include_usage"] = true;
  return set(request, "stream_options", options);
}

// -- refusals -----------------------------------------------------------------------------------------------

struct Kind {
  int status;
  const char *openai, *anthropic;
};
constexpr std::array kErrorKinds{Kind{400, "invalid_request_error", "invalid_request_error"},
                                 Kind{401, "authentication_error", "authentication_error"},
                                 Kind{402, "insufficient_quota", "billing_error"},
                                 Kind{403, "permission_error", "permission_error"},
                                 Kind{404, "not_found_error", "not_found_error"},
                                 Kind{405, "invalid_request_error", "invalid_request_error"},
                                 Kind{413, "invalid_request_error", "request_too_large"},
                                 Kind{429, "rate_limit_error", "rate_limit_error"}};

Kind kind_of(int status) {
  const auto found = std::find_if(kErrorKinds.begin(), kErrorKinds.end(),
                                  [&](const Kind& kind) { return kind.status == status; });
  return found == kErrorKinds.end() ? Kind{status, "server_error", "api_error"} : *found;
}

}  // namespace

std::string refusal_body(std::optional<Wire> wire, const Refusal& refusal) {
  const Kind kind = kind_of(refusal.status);
  const std::string message = "kgbench: " + to_utf8_lossy(refusal.message);
  if (wire == Wire::anthropic)
    return Ordered{{"type", "error"}, {"error", {{"type", kind.anthropic}, {"message", message}}}}.dump();
  return Ordered{
      {"error", {{"message", message}, {"type", kind.openai}, {"param", nullptr}, {"code", kind.openai}}}}
      .dump();
}

PreparedRequest prepare_request(Wire wire, std::string_view body, const RequestLimits& limits) {
  PreparedRequest prepared;
  Strict strict;
  Ordered request = Ordered::parse(body, std::ref(strict), /*allow_exceptions=*/false);
  if (const std::string problem = strict.problem(); !problem.empty()) {
    prepared.refusal = bad_request(problem);
    return prepared;
  }
  if (!request.is_object()) {
    prepared.refusal = bad_request("the request is no JSON object");
    return prepared;
  }
  prepared.refusal = refuse(wire, request);
  if (prepared.refusal) return prepared;
  const auto streamed = request.find("stream");
  prepared.streamed = streamed != request.end() && streamed->is_boolean() && streamed->get<bool>();
  bool changed = !limits.model.empty() && set(request, "model", limits.model);
  changed |= cap_tokens(wire, request, limits);
  if (!limits.body.extra.empty()) {
    request.merge_patch(Ordered::parse(limits.body.extra, nullptr, false));
    changed = true;
  }
  if (prepared.streamed && wire == Wire::openai_chat) changed |= ask_for_usage(request);
  if (const auto model = request.find("model"); model != request.end() && model->is_string())
    prepared.model = model->get<std::string>();
  prepared.body =
      changed ? request.dump(-1, ' ', false, Ordered::error_handler_t::replace) : std::string(body);
  return prepared;
}

}  // namespace kgb::llm
