// SPDX-License-Identifier: Apache-2.0
// The protocol.
//
// Theory of operation. A transport reads bytes, calls `receive` and gives an outlet for what follows.
// Whatever is known at once (handshake, ping, lists, errors) is answered on the transport's thread. A call of
// a tool is checked there, entered in its session and queued: quick tools have a thread of their own, slow
// ones the lanes, so that neither a ping nor a list waits for a judge. A cancellation sets the call's flag
// and silences it; the tool ends when it sees the flag. Whether a call is silent and whether it is over are
// decided under the session's lock, so that exactly one of answer and cancellation wins.
//
// Two families of versions are served side by side, told apart by each request: the handshake ones begin with
// `initialize`; in the stateless ones every request carries its version in params._meta.
#include "serve/server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>

#include "base/json_text.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "serve/arguments.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 4> kHandshake{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"};
constexpr std::array<std::string_view, 1> kStateless{"2026-07-28"};
constexpr const char* kCapabilitiesKey = "io.modelcontextprotocol/clientCapabilities";
constexpr const char* kServerKey = "io.modelcontextprotocol/serverInfo";
constexpr std::size_t kQuickWaiting = 256;
constexpr int kCacheMs = 300'000;  // the tools do not change while the server runs

json all_versions() {
  json all = json::array();
  for (const auto versions : {handshake_versions(), stateless_versions()})
    for (const std::string_view version : versions) all.push_back(version);
  return all;
}

json meta_of(const json& params) {
  const json meta = params.value("_meta", json());
  return meta.is_object() ? meta : json::object();
}

}  // namespace

std::span<const std::string_view> handshake_versions() {
  return kHandshake;
}
std::span<const std::string_view> stateless_versions() {
  return kStateless;
}

bool is_in(std::span<const std::string_view> versions, std::string_view version) {
  return std::find(versions.begin(), versions.end(), version) != versions.end();
}

// A call of a tool from its acceptance to its answer.
struct Call {
  json id, arguments, token;  // token null: no progress is wanted
  const Tool* tool = nullptr;
  std::shared_ptr<Session> session;
  std::shared_ptr<Outlet> outlet;
  json stamp;  // what goes into the result besides; an object
  std::atomic<bool> stop{false};
  bool silent = false;  // under the session's lock
  double told = -1;     // progress must grow
};

void Session::close() {
  silence(true);
}

void Session::hang_up() {
  silence(false);
}

void Session::silence(bool quick_too) {
  const std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Call>& call : calls_) {
    if (!quick_too && !call->tool->slow) continue;
    call->silent = true;
    call->stop = true;
  }
}

bool Session::busy() const {
  const std::lock_guard lock(mutex_);
  return !calls_.empty();
}

struct Server::Request {
  std::shared_ptr<Session> session;
  const Incoming& message;
  bool stateless = false;
  json stamp = json::object();
};

Server::Server(ServerSettings settings, std::vector<Tool> tools)
    : settings_(std::move(settings)),
      tools_(std::move(tools)),
      quick_(1, kQuickWaiting),
      slow_(settings_.lanes, settings_.waiting) {}

void Server::receive(const std::shared_ptr<Session>& session, std::string_view bytes,
                     const std::shared_ptr<Outlet>& outlet) {
  const std::variant<Incoming, Refused> read = read_message(bytes);
  if (const auto* message = std::get_if<Incoming>(&read)) return handle(session, *message, outlet);
  const auto& refused = std::get<Refused>(read);
  outlet->send(answer_of(refused.id, refused.error));
  outlet->finish();
}

void Server::handle(const std::shared_ptr<Session>& session, const Incoming& message,
                    const std::shared_ptr<Outlet>& outlet) {
  if (message.kind == Incoming::Kind::request) {
    Request request{session, message};
    const json meta = meta_of(message.params);
    request.stateless = meta.contains(kVersionKey) && message.method != "initialize";
    if (request.stateless)
      request.stamp = {{"resultType", "complete"},
                       {"_meta", {{kServerKey, {{"name", settings_.name}, {"version", settings_.version}}}}}};
    return answer(request, outlet);
  }
  if (message.method == "notifications/cancelled") {
    const json id = message.params.value("requestId", json());
    const std::lock_guard lock(session->mutex_);
    for (const std::shared_ptr<Call>& call : session->calls_)
      if (call->id == id) {
        call->silent = true;
        call->stop = true;
      }
  }
  outlet->finish();
}

void Server::answer(const Request& request, const std::shared_ptr<Outlet>& outlet) {
  const json& id = request.message.id;
  const std::string& method = request.message.method;
  const auto reply = [&](json result) {
    result.update(request.stamp);
    outlet->send(answer_of(id, std::move(result)));
    outlet->finish();
  };
  const auto refuse = [&](Code code, const std::string& text, json data = nullptr) {
    outlet->send(answer_of(id, RpcError{code, text, std::move(data)}));
    outlet->finish();
  };
  const json meta = meta_of(request.message.params);
  if (request.stateless) {
    const json& version = meta[kVersionKey];
    if (!version.is_string())
      return refuse(Code::invalid_params, std::string(kVersionKey) + " must be a text");
    if (!is_in(kStateless, version.get_ref<const std::string&>()))
      return refuse(Code::unsupported_version, "this version of the protocol is not supported",
                    {{"supported", all_versions()}, {"requested", version}});
    if (!meta.value(kCapabilitiesKey, json()).is_object())
      return refuse(Code::invalid_params, std::string(kCapabilitiesKey) + " is missing in params._meta");
  }
  if (method == "initialize") return reply(initialize(*request.session, request));
  if (method == "ping") return reply(json::object());
  if (method == "server/discover") {
    if (request.stateless) return reply(discover());
    return refuse(Code::invalid_params, std::string(kVersionKey) + " is missing in params._meta");
  }
  const bool known = method == "tools/list" || method == "tools/call";
  if (!known) return refuse(Code::method_not_found, "no method " + in_quotes(method));
  bool shaken = false;
  {
    const std::lock_guard lock(request.session->mutex_);
    shaken = !request.session->version_.empty();
  }
  if (!request.stateless && !shaken)
    return refuse(Code::invalid_request,
                  "`initialize` comes first, or a version in params._meta of each request");
  if (method == "tools/call") return call(request, outlet);
  json tools = list();
  if (request.stateless) tools.update({{"ttlMs", kCacheMs}, {"cacheScope", "public"}});
  reply(std::move(tools));
}

json Server::initialize(Session& session, const Request& request) const {
  const std::string asked = text_in(request.message.params, "protocolVersion");
  const std::string version(is_in(kHandshake, asked) ? std::string_view(asked) : kHandshake.back());
  const std::lock_guard lock(session.mutex_);
  session.version_ = version;
  return {{"protocolVersion", version},
          {"capabilities", {{"tools", {{"listChanged", false}}}}},
          {"serverInfo", {{"name", settings_.name}, {"version", settings_.version}}},
          {"instructions", settings_.instructions}};
}

json Server::discover() const {
  return {{"supportedVersions", kStateless},
          {"capabilities", {{"tools", json::object()}}},
          {"instructions", settings_.instructions},
          {"ttlMs", kCacheMs},
          {"cacheScope", "public"}};
}

json Server::list() const {
  json tools = json::array();
  for (const Tool& tool : tools_)
    tools.push_back({{"name", tool.name},
                     {"title", tool.title},
                     {"description", tool.description},
                     {"inputSchema", tool.input_schema},
                     {"annotations", {{"readOnlyHint", true}, {"openWorldHint", false}}}});
  return {{"tools", std::move(tools)}};
}

namespace {

json failure_of(const std::string& message) {
  return {{"content", json::array({{{"type", "text"}, {"text", to_utf8_lossy(message)}}})},
          {"isError", true}};
}

json success_of(const ToolAnswer& answer) {
  json result{{"content", json::array({{{"type", "text"}, {"text", to_utf8_lossy(answer.text)}}})},
              {"isError", false}};
  if (answer.structured.is_object()) result["structuredContent"] = answer.structured;
  return result;
}

void tell_progress(Call& call, double done, double total, const std::string& what) {
  if (call.token.is_null() || done <= call.told || call.stop) return;
  call.told = done;
  call.outlet->send(notification_of(
      "notifications/progress",
      {{"progressToken", call.token}, {"progress", done}, {"total", total}, {"message", what}}));
}

// The result of the tool, or what stands for it; nothing that it does reaches the thread.
json result_of(const std::shared_ptr<Call>& call) {
  try {
    const CallContext context{call->stop, [call](double done, double total, const std::string& what) {
                                tell_progress(*call, done, total, what);
                              }};
    const Result<ToolAnswer> answer = call->tool->run(call->arguments, context);
    if (answer.ok()) return success_of(*answer);
    log::info("tool " + call->tool->name + ": " + answer.error().message);
    return failure_of(answer.error().message);
  } catch (const std::exception& cause) {
    log::error("tool " + call->tool->name + " failed inside: " + cause.what());
    return failure_of("the tool failed inside; the server's log says why");
  }
}

}  // namespace

void Server::run(const std::shared_ptr<Call>& call) {
  json result;
  if (!call->stop) result = result_of(call);
  bool silent = false;
  {
    const std::lock_guard lock(call->session->mutex_);
    std::erase(call->session->calls_, call);
    silent = call->silent;
  }
  if (!silent) {
    result.update(call->stamp);
    call->outlet->send(answer_of(call->id, std::move(result)));
  }
  call->outlet->finish();
}

std::variant<std::shared_ptr<Call>, RpcError> Server::checked(const Request& request) const {
  const auto wrong = [](const std::string& text) { return RpcError{Code::invalid_params, text, nullptr}; };
  const json& params = request.message.params;
  if (!params.value("name", json()).is_string()) return wrong("`name` must be a text");
  const std::string name = params["name"].get<std::string>();
  const auto tool = std::find_if(tools_.begin(), tools_.end(), [&](const Tool& t) { return t.name == name; });
  if (tool == tools_.end()) {
    std::vector<std::string> names;
    for (const Tool& t : tools_) names.push_back(t.name);
    return wrong("no tool " + in_quotes(name) + did_you_mean(name, names));
  }
  auto call = std::make_shared<Call>();
  call->id = request.message.id;
  call->tool = &*tool;
  call->session = request.session;
  call->stamp = request.stamp;
  call->arguments = params.value("arguments", json());
  if (call->arguments.is_null()) call->arguments = json::object();
  if (!call->arguments.is_object()) return wrong("`arguments` must be an object");
  call->token = meta_of(params).value("progressToken", json());
  if (!call->token.is_null() && !call->token.is_string() && !call->token.is_number_integer())
    return wrong("`_meta.progressToken` must be a text or an integer");
  return call;
}

bool Server::enter(const std::shared_ptr<Call>& call) {
  const std::lock_guard lock(call->session->mutex_);
  std::vector<std::shared_ptr<Call>>& calls = call->session->calls_;
  const auto same = [&](const std::shared_ptr<Call>& other) { return other->id == call->id; };
  if (std::any_of(calls.begin(), calls.end(), same)) return false;
  calls.push_back(call);
  return true;
}

void Server::call(const Request& request, const std::shared_ptr<Outlet>& outlet) {
  const auto end = [&](const json& message) {
    outlet->send(message);
    outlet->finish();
  };
  const auto fail = [&](const std::string& text) {
    json result = failure_of(text);
    result.update(request.stamp);
    end(answer_of(request.message.id, std::move(result)));
  };
  const std::variant<std::shared_ptr<Call>, RpcError> result = checked(request);
  if (const auto* error = std::get_if<RpcError>(&result)) return end(answer_of(request.message.id, *error));
  const std::shared_ptr<Call>& call = std::get<std::shared_ptr<Call>>(result);
  call->outlet = outlet;
  const Tool& tool = *call->tool;
  if (const std::string wrong = complaint_of(call->arguments, tool.input_schema); !wrong.empty())
    return fail(tool.name + ": " + wrong);
  if (!enter(call))
    return end(answer_of(
        call->id, RpcError{Code::invalid_request,
                           "the id " + call->id.dump() + " belongs to a call that still runs", nullptr}));
  WorkQueue& queue = tool.slow ? slow_ : quick_;
  if (queue.push([call] { run(call); })) return;
  {
    const std::lock_guard lock(call->session->mutex_);
    std::erase(call->session->calls_, call);
  }
  fail(tool.name + ": the server is busy, " + std::to_string(queue.capacity()) +
       " calls wait already. Try again when one of them is answered");
}

}  // namespace kgb::serve
