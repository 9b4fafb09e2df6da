// SPDX-License-Identifier: Apache-2.0
// The endpoint behind cpp-httplib, whose every connection has a thread while it lives.
#include "serve/http.hpp"

#if KGB_WITH_HTTP
#include <httplib.h>

#include <atomic>
#include <cctype>

#include "base/log.hpp"
#include "base/text.hpp"
#endif

namespace kgb::serve {

#if !KGB_WITH_HTTP
Result<std::unique_ptr<HttpListener>> HttpListener::open(HttpEndpoint&, const HttpBinding&) {
  return host_error(
      "this kgbench was built without HTTP; use the standard streams, or build it with libcurl and "
      "cpp-httplib");
}
#else
namespace {

constexpr std::size_t kThreads = 48;  // connections that are served at a time
constexpr int kReadSeconds = 20, kWriteSeconds = 20, kKeepAliveSeconds = 5;
constexpr Millis kLookStep{200};    // how long a client that went away stays unnoticed
constexpr Millis kSilence{15'000};  // then a comment keeps proxies from closing the stream

HttpRequest request_of(const httplib::Request& got) {
  HttpRequest request{got.method, got.path, got.body, {}};
  for (const auto& [name, value] : got.headers) request.headers[to_lower(name)] = value;
  return request;
}

// The library's own options let a second server listen on the same port, which then gets every other client.
void take_port_alone(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

// Events as they come; ends with the last one, or when the client is gone.
class EventStream {
 public:
  EventStream(HttpReply reply, const std::atomic<bool>& stopped)
      : reply_(std::move(reply)), stopped_(stopped) {}
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  ~EventStream() {
    if (reply_.alone) reply_.alone->close();  // an answered call is none of its calls any more
  }

  bool write_some(httplib::DataSink& sink) {
    if (!reply_.body.empty()) return write(sink, std::exchange(reply_.body, {}));
    if (const auto message = reply_.stream->next(kLookStep)) return write(sink, event_of(*message));
    if (reply_.stream->over() || stopped_) {
      sink.done();
      return true;
    }
    if (!sink.is_writable()) return false;
    if (Steady::now() - spoke_ < kSilence) return true;
    return write(sink, ": the call goes on\r\n\r\n");
  }

 private:
  bool write(httplib::DataSink& sink, const std::string& text) {
    spoke_ = Steady::now();
    return sink.write(text.data(), text.size());
  }

  HttpReply reply_;
  const std::atomic<bool>& stopped_;
  Steady::time_point spoke_ = Steady::now();
};

class Listener : public HttpListener {
 public:
  explicit Listener(HttpEndpoint& endpoint) : endpoint_(endpoint) {
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_socket_options(take_port_alone);
    server_.set_payload_max_length(kMaxMessage);
    server_.set_read_timeout(kReadSeconds);
    server_.set_write_timeout(kWriteSeconds);
    server_.set_keep_alive_timeout(kKeepAliveSeconds);
    server_.set_exception_handler([](const auto&, httplib::Response& response, std::exception_ptr) {
      log::error("a request over HTTP failed inside");
      response.status = 500;
    });
    const auto handler = [this](const httplib::Request& request, httplib::Response& response) {
      respond(endpoint_.handle(request_of(request)), response);
    };
    const std::string anything = ".*";
    server_.Post(anything, handler).Get(anything, handler).Delete(anything, handler);
    server_.Put(anything, handler).Patch(anything, handler).Options(anything, handler);
  }

  Status bind(const HttpBinding& binding) {
    port_ = binding.port;
    const bool bound = port_ == 0 ? (port_ = server_.bind_to_any_port(binding.host)) > 0
                                  : server_.bind_to_port(binding.host, port_);
    if (bound) return ok_status();
    return user_error("cannot listen on " + binding.host + " port " + std::to_string(binding.port) +
                      ": it is taken, or no address of this machine. --port 0 takes a free one");
  }

  [[nodiscard]] int port() const override { return port_; }

  Status serve() override {
    if (server_.listen_after_bind() || stopped_) return ok_status();
    return host_error("listening on port " + std::to_string(port_) + " failed");
  }

  void stop() override {
    stopped_ = true;
    endpoint_.close();
    server_.stop();
  }

 private:
  void respond(HttpReply reply, httplib::Response& response) {
    response.status = reply.status;
    for (const auto& [name, value] : reply.headers) response.set_header(name, value);
    if (!reply.stream) {
      if (!reply.body.empty()) response.set_content(reply.body, reply.type);
      return;
    }
    const std::string type = reply.type;
    const auto stream = std::make_shared<EventStream>(std::move(reply), stopped_);
    response.set_chunked_content_provider(
        type, [stream](std::size_t, httplib::DataSink& sink) { return stream->write_some(sink); });
  }

  HttpEndpoint& endpoint_;
  std::atomic<bool> stopped_{false};
  int port_ = 0;
  httplib::Server server_;
};

}  // namespace

Result<std::unique_ptr<HttpListener>> HttpListener::open(HttpEndpoint& endpoint, const HttpBinding& binding) {
  auto listener = std::make_unique<Listener>(endpoint);
  KGB_CHECK(listener->bind(binding));
  return std::unique_ptr<HttpListener>(std::move(listener));
}
#endif

}  // namespace kgb::serve
