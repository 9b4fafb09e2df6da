// SPDX-License-Identifier: Apache-2.0
// Who may ask, sessions, and what a POST is answered with.
#include "serve/http_endpoint.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/fd.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

constexpr const char* kPath = "/mcp";
constexpr const char* kEvents = "text/event-stream";
constexpr Millis kForever{std::chrono::hours(24)};  // a call ends before
constexpr std::array<std::string_view, 3> kLoopbackNames{"localhost", "127.0.0.1", "[::1]"};

// "http://localhost:8080" and "localhost:8080" -> "localhost"
std::string host_in(std::string_view text) {
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos)
    text.remove_prefix(scheme + 3);
  const std::size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) return {};
  return to_lower(text.substr(0, text.find(':', bracket)));
}

bool is_loopback_name(const std::string& host) {
  return std::find(kLoopbackNames.begin(), kLoopbackNames.end(), host) != kLoopbackNames.end();
}

// Takes as long for a near miss as for any other text.
bool equal_secret(std::string_view a, std::string_view b) {
  const Digest x = sha256(a), y = sha256(b);
  unsigned difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i) difference |= static_cast<unsigned>(x[i] ^ y[i]);
  return difference == 0;
}

int status_of(const json& message) {
  const int code = message.value(json::json_pointer("/error/code"), 0);
  switch (static_cast<Code>(code)) {
    case Code::method_not_found:
      return 404;
    case Code::parse_error:
    case Code::invalid_request:
    case Code::invalid_params:
    case Code::header_mismatch:
    case Code::unsupported_version:
      return 400;
    default:
      return 200;
  }
}

HttpReply refused(int status, const std::string& text, const json& id = nullptr,
                  Code code = Code::invalid_request) {
  HttpReply reply;
  reply.status = status;
  reply.body = line_of(answer_of(id, RpcError{code, text, nullptr}));
  return reply;
}

json envelope_version(const Incoming& message) {
  const json meta = message.params.value("_meta", json());
  return meta.is_object() ? meta.value(kVersionKey, json()) : json();
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

void Mailbox::send(const json& message) {
  {
    const std::lock_guard lock(mutex_);
    messages_.push_back(message);
  }
  changed_.notify_all();
}

void Mailbox::finish() {
  {
    const std::lock_guard lock(mutex_);
    finished_ = true;
  }
  changed_.notify_all();
}

std::optional<json> Mailbox::next(Millis patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [&] { return finished_ || !messages_.empty(); });
  if (messages_.empty()) return std::nullopt;
  json message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

bool Mailbox::over() const {
  const std::lock_guard lock(mutex_);
  return finished_ && messages_.empty();
}

std::string event_of(const json& message) {
  return "event: message\r\ndata: " + line_of(message) + "\r\n\r\n";
}

// A page of another site can make a browser ask us, also under a name of its own that leads here (DNS
// rebinding): its Origin tells, and the Host that it believes to speak to.
std::optional<HttpReply> HttpEndpoint::refusal(const HttpRequest& request) const {
  const auto may_ask = [&](const std::string& host) {
    return is_loopback_name(host) ||
           std::find(settings_.origins.begin(), settings_.origins.end(), host) != settings_.origins.end();
  };
  if (const std::string origin = request.header("origin"); !origin.empty() && !may_ask(host_in(origin)))
    return refused(403, "pages of " + in_quotes(origin) + " may not ask here; --origin allows them");
  if (const std::string host = host_in(request.header("host")); settings_.loopback && !may_ask(host))
    return refused(403, "this server is called localhost, not " + in_quotes(host));
  if (request.path != kPath) return refused(404, "the endpoint is " + std::string(kPath));
  constexpr std::string_view kBearer = "bearer ";  // letters of either case
  const std::string given = request.header("authorization");
  const bool bears = to_lower(std::string_view(given).substr(0, kBearer.size())) == kBearer &&
                     equal_secret(std::string_view(given).substr(kBearer.size()), settings_.token);
  if (!settings_.token.empty() && !bears) {
    HttpReply reply = refused(401, "this server wants a bearer token in `Authorization`");
    reply.headers.emplace_back("WWW-Authenticate", "Bearer");
    return reply;
  }
  return std::nullopt;
}

HttpReply HttpEndpoint::handle(const HttpRequest& request) {
  if (std::optional<HttpReply> no = refusal(request)) return *std::move(no);
  if (request.method == "POST") return post(request);
  if (request.method == "DELETE") return remove(request);
  HttpReply reply =
      refused(405, "POST a message, or DELETE a session; there is no stream of the server's own");
  reply.headers.emplace_back("Allow", "POST, DELETE");
  return reply;
}

HttpReply HttpEndpoint::post(const HttpRequest& request) {
  const std::string version = request.header("mcp-protocol-version");
  const bool stateless = is_in(stateless_versions(), version);
  const std::variant<Incoming, Refused> read = read_message(request.body);
  if (const auto* no = std::get_if<Refused>(&read)) {
    HttpReply reply;
    reply.status = 400;
    reply.body = line_of(answer_of(no->id, no->error));
    return reply;
  }
  const auto& message = std::get<Incoming>(read);
  if (stateless || (!envelope_version(message).is_null() && message.method != "initialize"))
    return post_alone(request, message);
  if (!version.empty() && !is_in(handshake_versions(), version)) {
    json all = json::array();
    for (const auto known : {handshake_versions(), stateless_versions()})
      for (const std::string_view one : known) all.push_back(one);
    HttpReply reply;
    reply.status = 400;
    reply.body = line_of(answer_of(message.id, RpcError{Code::unsupported_version,
                                                        "this version of the protocol is not supported",
                                                        {{"supported", all}, {"requested", version}}}));
    return reply;
  }
  return post_in_session(request, message);
}

// A stateless request repeats in its headers what proxies route by; both must agree.
HttpReply HttpEndpoint::post_alone(const HttpRequest& request, const Incoming& message) {
  HttpReply accepted;
  accepted.status = 202;
  accepted.body.clear();
  if (message.kind != Incoming::Kind::request) return accepted;  // there are no calls that it could be about
  const auto mismatch = [&](const std::string& header) {
    return refused(400, "the header " + header + " differs from the message", message.id,
                   Code::header_mismatch);
  };
  if (envelope_version(message) != request.header("mcp-protocol-version"))
    return mismatch("MCP-Protocol-Version");
  if (request.header("mcp-method") != message.method) return mismatch("Mcp-Method");
  if (message.method == "tools/call" && message.params.value("name", json()) != request.header("mcp-name"))
    return mismatch("Mcp-Name");
  return exchange(request, message, std::make_shared<Session>(), true);
}

HttpReply HttpEndpoint::post_in_session(const HttpRequest& request, const Incoming& message) {
  if (message.method == "initialize" && message.kind == Incoming::Kind::request) {
    const auto session = std::make_shared<Session>();
    const Result<std::string> id = add(session);
    if (!id.ok()) return refused(503, id.error().message, message.id, Code::internal_error);
    HttpReply reply = exchange(request, message, session, false);
    reply.headers.emplace_back("Mcp-Session-Id", *id);
    return reply;
  }
  const std::string id = request.header("mcp-session-id");
  if (id.empty())
    return refused(400, "`initialize` comes first; its reply names the Mcp-Session-Id", message.id);
  const std::shared_ptr<Session> session = find(id);
  if (session == nullptr)
    return refused(404, "no such session; begin a new one with `initialize`", message.id);
  return exchange(request, message, session, false);
}

HttpReply HttpEndpoint::exchange(const HttpRequest& request, const Incoming& message,
                                 const std::shared_ptr<Session>& session, bool alone) {
  HttpReply reply;
  const auto mailbox = std::make_shared<Mailbox>();
  if (alone) {
    const std::lock_guard lock(mutex_);
    std::erase_if(alone_, [](const std::weak_ptr<Session>& gone) { return gone.expired(); });
    alone_.push_back(session);
  }
  server_.handle(session, message, mailbox);
  if (message.kind != Incoming::Kind::request) {
    reply.status = 202;
    return reply;
  }
  const bool events = request.header("accept").find(kEvents) != std::string::npos;
  if (message.method == "tools/call" && events && !mailbox->over()) {
    std::optional<json> first = mailbox->next(Millis(0));
    if (!first || !mailbox->over()) {
      if (first) reply.body = event_of(*first);
      reply.type = kEvents;
      reply.stream = mailbox;
      if (alone) reply.alone = session;
      reply.headers.emplace_back("Cache-Control", "no-cache");
      return reply;
    }
    reply.status = alone ? status_of(*first) : 200;
    reply.body = line_of(*first);
    return reply;
  }
  // Without a stream there is room for the answer alone.
  while (const std::optional<json> next = mailbox->next(kForever)) {
    if (!next->contains("id")) continue;
    reply.status = alone ? status_of(*next) : 200;
    reply.body = line_of(*next);
  }
  if (reply.body.empty()) return refused(200, "the call was cancelled", message.id, Code::internal_error);
  return reply;
}

HttpReply HttpEndpoint::remove(const HttpRequest& request) {
  std::shared_ptr<Session> session;
  {
    const std::lock_guard lock(mutex_);
    const auto found = sessions_.find(request.header("mcp-session-id"));
    if (found != sessions_.end()) {
      session = found->second.session;
      sessions_.erase(found);
    }
  }
  if (session == nullptr) return refused(404, "no such session");
  session->close();
  HttpReply reply;
  reply.status = 204;
  return reply;
}

std::shared_ptr<Session> HttpEndpoint::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return nullptr;
  found->second.used = Steady::now();
  return found->second.session;
}

// Clients that never say goodbye must not lock others out: the session that was idle longest makes room.
Result<std::string> HttpEndpoint::add(const std::shared_ptr<Session>& session) {
  KGB_TRY(const std::string random, random_bytes(16));
  const std::string id = hex(std::span(reinterpret_cast<const std::uint8_t*>(random.data()), random.size()));
  const std::lock_guard lock(mutex_);
  if (sessions_.size() >= settings_.most_sessions) {
    auto oldest = sessions_.end();
    for (auto it = sessions_.begin(); it != sessions_.end(); ++it)
      if (!it->second.session->busy() && (oldest == sessions_.end() || it->second.used < oldest->second.used))
        oldest = it;
    if (oldest == sessions_.end()) return host_error("every session is busy; try again later");
    sessions_.erase(oldest);
  }
  sessions_[id] = {session, Steady::now()};
  return id;
}

void HttpEndpoint::close() {
  const std::lock_guard lock(mutex_);
  for (auto& [id, known] : sessions_) known.session->close();
  for (const std::weak_ptr<Session>& alone : alone_)
    if (const std::shared_ptr<Session> session = alone.lock()) session->close();
}

}  // namespace kgb::serve
