// SPDX-License-Identifier: Apache-2.0
// The proxy's servers: one for each listening socket, over cpp-httplib.
#include "llm/proxy.hpp"

#include "llm/http.hpp"

#if KGB_WITH_HTTP

#include <httplib.h>

#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "base/hash.hpp"
#include "llm/gate.hpp"
#include "llm/proxy_relay.hpp"
#include "llm/proxy_route.hpp"

namespace kgb::llm {
namespace {

constexpr std::size_t kTokenBytes = 16;
constexpr std::size_t kMaxTarget = 512;  // cpp-httplib matches paths by a regular expression, recursively
constexpr std::size_t kThreads = 16;     // of one server: calls of one agent at a time
constexpr int kReadSeconds = 30, kWriteSeconds = 120;
constexpr Millis kAgentSlice{100};  // between looks at the agent and the clock

// What all servers of one proxy share.
struct Core {
  Core(ProxySettings given, std::unique_ptr<HttpTransport> opened)
      : settings(std::move(given)), transport(std::move(opened)), gate(settings.upstream.concurrency) {}

  std::shared_ptr<Account> find(const std::string& token) {
    const std::lock_guard hold(mutex);
    const auto found = accounts.find(token);
    return found == accounts.end() ? nullptr : found->second.lock();
  }

  const ProxySettings settings;
  const std::unique_ptr<HttpTransport> transport;
  Gate gate;  // of calls, over all accounts
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Account>> accounts;
};

// One call between its admission and its report, which its end makes.
class Call {
 public:
  Call(Core& core, std::shared_ptr<Account> account) : core_(core), account_(std::move(account)) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (relay_) {
      static_cast<void>(relay_->end());
      if (wire_) account_->report(relay_->call(model_, why_));
    }
    if (passed_) core_.gate.leave();
    if (entered_) account_->leave(stop_);
  }

  std::optional<Refusal> begin(const Route& route, const Headers& headers, std::string body);
  Relay& relay() { return *relay_; }
  [[nodiscard]] const std::string& why() const { return why_; }
  // True where the call is to end now; the first reason is told.
  bool over() {
    if (account_->late()) cut(account_->ended());
    if (stop_ && why_.empty()) why_ = "the run ended";
    return stop_;
  }
  void cut(std::string why) {
    if (!stop_.exchange(true)) why_ = std::move(why);
  }

 private:
  std::optional<Refusal> prepare(const Route& route, std::string& body);

  Core& core_;
  const std::shared_ptr<Account> account_;
  std::atomic<bool> stop_{false};
  bool entered_ = false, passed_ = false;
  std::optional<Wire> wire_;  // of a call that is counted
  std::string model_, why_;
  std::unique_ptr<Relay> relay_;
};

std::optional<Refusal> Call::prepare(const Route& route, std::string& body) {
  Account::Pass pass = account_->enter(stop_);
  if (pass.refusal) return pass.refusal;
  entered_ = true;
  if (route.kind != Route::Kind::call) return std::nullopt;
  PreparedRequest prepared = prepare_request(
      *route.wire, body, {core_.settings.upstream.model, pass.most_tokens, core_.settings.upstream.body});
  if (prepared.refusal) {
    account_->refuse();
    return prepared.refusal;
  }
  wire_ = route.wire;
  model_ = std::move(prepared.model);
  body = std::move(prepared.body);
  return std::nullopt;
}

std::optional<Refusal> Call::begin(const Route& route, const Headers& headers, std::string body) {
  if (const auto refusal = prepare(route, body)) return refusal;
  passed_ = core_.gate.pass(stop_);
  if (!passed_) return Refusal{402, "this account is closed"};
  const Endpoint& upstream = core_.settings.upstream;
  HttpRequest request;
  request.method = route.method;
  request.url = upstream_url(upstream.base_url, route.wire, route.path);
  request.headers = headers_of(route.wire.value_or(Wire::openai_chat), upstream.key);
  for (auto& header : passed_on(headers)) {
    const auto same = [&](const auto& known) { return known.first == header.first; };
    std::erase_if(request.headers, same);
    request.headers.push_back(std::move(header));
  }
  request.headers.insert(request.headers.end(), upstream.headers.begin(), upstream.headers.end());
  request.body = std::move(body);
  request.proxy = upstream.proxy;
  request.connect_s = upstream.connect_s;
  request.stall_s = upstream.stall_s;
  relay_ = std::make_unique<Relay>(*core_.transport, std::move(request), wire_, stop_);
  return std::nullopt;
}

// -- answering ----------------------------------------------------------------------------------------------

void refuse(httplib::Response& response, std::optional<Wire> wire, const Refusal& refusal) {
  response.status = refusal.status;
  response.set_content(refusal_body(wire, refusal), "application/json");
}

std::string content_type(const Headers& headers) {
  for (const auto& [name, value] : headers)
    if (name == "content-type") return value;
  return "application/octet-stream";
}

void copy_head(const Relay& relay, httplib::Response& response) {
  response.status = relay.status();
  for (const auto& [name, value] : passed_back(relay.headers())) response.headers.emplace(name, value);
}

// Piece by piece; false ends the connection without the end mark of the stream, as the model server did.
bool pass_piece(Call& call, httplib::DataSink& sink) {
  std::string bytes;
  const Relay::Got got = call.relay().next(bytes, kAgentSlice);
  if (got == Relay::Got::end) {
    if (call.relay().end().end != HttpEnd::whole) return false;
    sink.done();
    return true;
  }
  if (call.over()) return false;
  const bool there = got == Relay::Got::bytes ? sink.write(bytes.data(), bytes.size()) : sink.is_writable();
  if (!there) call.cut("the agent hung up");
  return there;
}

void answer_stream(const std::shared_ptr<Call>& call, httplib::Response& response) {
  copy_head(call->relay(), response);
  response.set_chunked_content_provider(
      content_type(call->relay().headers()),
      [call](std::size_t, httplib::DataSink& sink) { return pass_piece(*call, sink); });
}

// Why there is no whole reply: a budget's end, or the model server's fault.
Refusal broken(Call& call, const char* what) {
  if (!call.why().empty()) return {402, call.why()};
  return {502, what + call.relay().end().message};
}

void answer_whole(Call& call, std::optional<Wire> wire, httplib::Response& response) {
  std::string body, bytes;
  for (Relay::Got got = Relay::Got::nothing; got != Relay::Got::end && !call.over();) {
    got = call.relay().next(bytes, kAgentSlice);
    if (got == Relay::Got::bytes) body += bytes;
  }
  if (call.relay().end().end != HttpEnd::whole)
    return refuse(response, wire, broken(call, "the model server's reply broke off: "));
  copy_head(call.relay(), response);
  response.set_content(body, content_type(call.relay().headers()));
}

void answer_call(Core& core, const Route& route, std::shared_ptr<Account> account, const Headers& headers,
                 std::string body, httplib::Response& response) {
  const auto call = std::make_shared<Call>(core, std::move(account));
  if (const auto refusal = call->begin(route, headers, std::move(body)))
    return refuse(response, route.wire, *refusal);
  Relay::Head head = Relay::Head::nothing;
  while (head == Relay::Head::nothing && !call->over()) head = call->relay().wait_head(kAgentSlice);
  if (head != Relay::Head::there)
    return refuse(response, route.wire, broken(*call, "the model server does not answer: "));
  const bool good = call->relay().status() >= 200 && call->relay().status() < 300;
  if (good && content_type(call->relay().headers()).starts_with("text/event-stream"))
    answer_stream(call, response);
  else
    answer_whole(*call, route.wire, response);
}

void answer(Core& core, const httplib::Request& request, std::string body, httplib::Response& response) {
  const Headers headers(request.headers.begin(), request.headers.end());
  const Route route = route_of(request.method, request.target, headers);
  std::shared_ptr<Account> account = core.find(route.token);
  if (account == nullptr) return refuse(response, route.wire, {401, "no account has this key"});
  if (route.kind == Route::Kind::service) {
    AccountSettings::Answer served = account->serve(route.service, body);
    response.status = served.status;
    return response.set_content(served.body, served.type);
  }
  if (route.kind == Route::Kind::none)
    return refuse(response, route.wire,
                  {404, request.method + " " + route.path +
                            " is not passed on; calls of a model are: POST /v1/chat/completions, "
                            "/v1/responses, /v1/messages"});
  answer_call(core, route, std::move(account), headers, std::move(body), response);
}

// -- servers ------------------------------------------------------------------------------------------------

// A server on a socket that somebody else made.
class Server : public httplib::Server {
 public:
  explicit Server(Core& core) {
    new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    set_keep_alive_max_count(1);  // an idle connection would hold a thread
    set_read_timeout(kReadSeconds);
    set_write_timeout(kWriteSeconds);
    set_payload_max_length(core.settings.request_bytes);
    set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
      return check(request, response) ? HandlerResponse::Unhandled : HandlerResponse::Handled;
    });
    Get("/.*", [&core](const httplib::Request& request, httplib::Response& response) {
      answer(core, request, "", response);
    });
    Post("/.*",
         [&core](const httplib::Request& request, httplib::Response& response,
                 const httplib::ContentReader& reader) { take_post(core, request, response, reader); });
    set_exception_handler(
        [](const httplib::Request&, httplib::Response& response, const std::exception_ptr&) {
          refuse(response, std::nullopt, {500, "the proxy failed inside"});
        });
    set_error_handler([](const httplib::Request&, httplib::Response& response) {
      if (response.body.empty()) refuse(response, std::nullopt, {response.status, "the request is refused"});
    });
  }
  void adopt(Fd listener) { svr_sock_ = listener.release(); }

 private:
  static bool check(const httplib::Request& request, httplib::Response& response) {
    // cpp-httplib would compress and cut replies where the agent allows it; they are passed on as they are.
    auto& headers = const_cast<httplib::Request&>(request).headers;
    headers.erase("Accept-Encoding");
    headers.erase("Range");
    const_cast<httplib::Request&>(request).ranges.clear();
    if (request.target.size() > kMaxTarget)
      refuse(response, std::nullopt, {414, "the path is too long"});
    else if (request.is_multipart_form_data())
      refuse(response, std::nullopt, {415, "a form is no request of a model; send JSON"});
    else
      return true;
    return false;
  }

  static void take_post(Core& core, const httplib::Request& request, httplib::Response& response,
                        const httplib::ContentReader& reader) {
    std::string body;
    const std::size_t most = core.settings.request_bytes;  // also of what comes in chunks, without a length
    const bool whole = reader([&](const char* bytes, std::size_t size) {
      if (size > most - body.size()) return false;
      body.append(bytes, size);
      return true;
    });
    if (!whole)
      return refuse(response, std::nullopt,
                    {413, "the request broke off or is longer than " + std::to_string(most) + " bytes"});
    answer(core, request, std::move(body), response);
  }
};

class Listener final : public Proxy::Door {
 public:
  Listener(Core& core, Fd socket) : server_(core) {
    server_.adopt(std::move(socket));
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    // stop() does nothing before the server runs.
    while (!server_.is_running() && !ended_) std::this_thread::sleep_for(Millis(1));
  }
  ~Listener() override {
    server_.stop();
    thread_.join();
  }

 private:
  Server server_;
  std::atomic<bool> ended_{false};
  std::thread thread_;
};

struct Bound {
  Fd socket;
  int port = 0;
};
Result<Bound> listen_on_loopback() {
  Bound bound{Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), 0};
  if (!bound.socket.open()) return errno_error("cannot make a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(bound.socket.get(), generic, size) != 0 || ::listen(bound.socket.get(), 64) != 0 ||
      ::getsockname(bound.socket.get(), generic, &size) != 0)
    return errno_error("cannot listen on the loopback");
  bound.port = ntohs(address.sin_port);
  return bound;
}

}  // namespace

struct Proxy::Impl {
  Impl(ProxySettings settings, std::unique_ptr<HttpTransport> transport, Bound bound)
      : core(std::move(settings), std::move(transport)),
        port(bound.port),
        listener(std::make_unique<Listener>(core, std::move(bound.socket))) {}
  ~Impl() {
    std::map<std::string, std::weak_ptr<Account>> accounts;
    {
      const std::lock_guard hold(core.mutex);
      accounts.swap(core.accounts);
    }
    for (const auto& [token, known] : accounts)
      if (const auto account = known.lock()) account->close();
  }
  Core core;
  int port;
  std::unique_ptr<Listener> listener;
};

Proxy::Proxy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Proxy::~Proxy() = default;

Result<std::unique_ptr<Proxy>> Proxy::start(ProxySettings settings) {
  KGB_TRY(std::unique_ptr<HttpTransport> transport, open_http());
  KGB_TRY(Bound bound, listen_on_loopback());
  return std::unique_ptr<Proxy>(
      new Proxy(std::make_unique<Impl>(std::move(settings), std::move(transport), std::move(bound))));
}

int Proxy::port() const {
  return impl_->port;
}

Result<std::shared_ptr<Account>> Proxy::open_account(AccountSettings settings) {
  KGB_TRY(const std::string bytes, random_bytes(kTokenBytes));
  const std::string token = hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  auto account = std::make_shared<Account>(token, std::move(settings));
  const std::lock_guard hold(impl_->core.mutex);
  std::erase_if(impl_->core.accounts, [](const auto& known) { return known.second.expired(); });
  impl_->core.accounts[token] = account;
  return account;
}

Result<std::unique_ptr<Proxy::Door>> Proxy::serve(Fd listener) {
  if (!listener.open()) return internal_error("the proxy is given no socket");
  return std::unique_ptr<Door>(std::make_unique<Listener>(impl_->core, std::move(listener)));
}

}  // namespace kgb::llm

#else

namespace kgb::llm {

struct Proxy::Impl {};
Proxy::Proxy(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Proxy::~Proxy() = default;
Result<std::unique_ptr<Proxy>> Proxy::start(ProxySettings) {
  return open_http().error();
}
int Proxy::port() const {
  return 0;
}
Result<std::shared_ptr<Account>> Proxy::open_account(AccountSettings) {
  return open_http().error();
}
Result<std::unique_ptr<Proxy::Door>> Proxy::serve(Fd) {
  return open_http().error();
}

}  // namespace kgb::llm

#endif
