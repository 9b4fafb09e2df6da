// SPDX-License-Identifier: Apache-2.0
// One call on its way through the proxy: the reply goes from the model server's pace to the agent's.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/clock.hpp"
#include "llm/http.hpp"
#include "llm/proxy_account.hpp"
#include "llm/wire.hpp"

namespace kgb::llm {

// A thread sends the request and fills a buffer, which holds it back when the agent reads slowly; whoever
// answers the agent empties it. What the server sent is counted, whether the agent read it or not: it is
// paid for.
class Relay {
 public:
  // Not a model call where `wire` is none: nothing is counted then. Whoever sets `stop` cuts the call.
  Relay(HttpTransport& transport, HttpRequest request, std::optional<Wire> wire, std::atomic<bool>& stop);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  enum class Head { there, nothing, none };  // nothing: not within `patience`; none: end() says why
  [[nodiscard]] Head wait_head(Millis patience);
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const Headers& headers() const { return headers_; }

  enum class Got { bytes, nothing, end };  // nothing: not within `patience`
  [[nodiscard]] Got next(std::string& bytes, Millis patience);

  // After `end`, or to cut the call: waits for the sending thread.
  [[nodiscard]] const HttpReply& end();
  // What the ledger is told; after end(). `why` says who cut the call, where somebody did.
  [[nodiscard]] ProxiedCall call(const std::string& model, const std::string& why);

 private:
  void send(HttpTransport& transport, HttpRequest request);
  void take_head(int status, const Headers& headers);
  void take_bytes(std::string_view bytes, double seconds);

  std::optional<Wire> wire_;
  std::atomic<bool>& stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string buffer_;
  bool has_head_ = false, done_ = false;
  int status_ = 0;
  Headers headers_;
  std::optional<ReplyReader> reader_;  // of the sending thread, until it is done
  double first_byte_s_ = 0;
  HttpReply reply_;
  std::thread thread_;
};

}  // namespace kgb::llm
