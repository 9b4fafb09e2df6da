// SPDX-License-Identifier: Apache-2.0
// Streamable HTTP without a socket: who may ask, sessions, and what a POST is answered with.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "serve/server.hpp"

namespace kgb::serve {

struct HttpSettings {
  bool loopback = true;  // bound to this machine alone: then its names are the only ones of a Host
  std::vector<std::string> origins;  // hosts whose pages may ask, besides this machine's
  std::string token;                 // that every request must bear; empty: none
  std::size_t most_sessions = 256;
};

struct HttpRequest {
  std::string method, path, body;
  std::map<std::string, std::string> headers;  // names in small letters
  [[nodiscard]] std::string header(const std::string& name) const;
};

// Messages on their way to one response, in order.
class Mailbox : public Outlet {
 public:
  void send(const nlohmann::json& message) override;
  void finish() override;
  // The next message. nullopt: none came in time, or none comes any more.
  [[nodiscard]] std::optional<nlohmann::json> next(Millis patience);
  [[nodiscard]] bool over() const;  // finished and empty

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<nlohmann::json> messages_;
  bool finished_ = false;
};

struct HttpReply {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body, type = "application/json";
  // Set: the body is a stream of events from here. `alone`: closed when the client goes away, which cancels.
  std::shared_ptr<Mailbox> stream;
  std::shared_ptr<Session> alone;
};
// One event of a stream.
[[nodiscard]] std::string event_of(const nlohmann::json& message);

// Thread-safe.
class HttpEndpoint {
 public:
  HttpEndpoint(Server& server, HttpSettings settings) : server_(server), settings_(std::move(settings)) {}
  [[nodiscard]] HttpReply handle(const HttpRequest& request);
  // Every call of every session is stopped.
  void close();

 private:
  struct Known {
    std::shared_ptr<Session> session;
    Steady::time_point used;
  };
  [[nodiscard]] std::optional<HttpReply> refusal(const HttpRequest& request) const;
  [[nodiscard]] HttpReply post(const HttpRequest& request);
  [[nodiscard]] HttpReply post_alone(const HttpRequest& request, const Incoming& message);
  [[nodiscard]] HttpReply post_in_session(const HttpRequest& request, const Incoming& message);
  [[nodiscard]] HttpReply remove(const HttpRequest& request);
  [[nodiscard]] HttpReply exchange(const HttpRequest& request, const Incoming& message,
                                   const std::shared_ptr<Session>& session, bool alone);
  [[nodiscard]] std::shared_ptr<Session> find(const std::string& id);
  [[nodiscard]] Result<std::string> add(const std::shared_ptr<Session>& session);

  Server& server_;
  HttpSettings settings_;
  std::mutex mutex_;
  std::map<std::string, Known> sessions_;
  std::vector<std::weak_ptr<Session>> alone_;
};

}  // namespace kgb::serve
