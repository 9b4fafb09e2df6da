// SPDX-License-Identifier: Apache-2.0
// A model behind a server: one call, one completion, with retries and exact counts. Thread-safe.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "llm/cassette.hpp"
#include "llm/wire.hpp"

namespace kgb::llm {

struct Endpoint {
  Wire wire = Wire::openai_chat;
  std::string base_url;  // "https://api.openai.com", with or without /v1
  std::string model;
  std::string key;         // never printed, stored or recorded
  std::string key_source;  // where it came from, for messages: "OPENAI_API_KEY"
  Headers headers;         // besides the wire's own
  BodyOptions body;
  std::string proxy;     // empty: from the environment, as libcurl reads it
  int concurrency = 8;   // calls under way at a time
  double stall_s = 120;  // without a byte, then the try is given up
  double connect_s = 20;
  int tries = 5;             // in all; 429, 408, 409, 5xx and lost connections are tried again
  double first_wait_s = 1;   // before the second try; doubled for each later one
  double most_wait_s = 120;  // between tries, Retry-After included
  CassetteMode cassette_mode = CassetteMode::off;
  std::filesystem::path cassette;  // JSON lines
};
// Where requests go, by the rule of upstream_url.
[[nodiscard]] std::string request_url(const Endpoint& endpoint);

enum class CallEnd { ok, partial, failed, cancelled };
[[nodiscard]] std::string_view name_of(CallEnd end);  // "ok", "partial", "failed", "cancelled"

struct Completion {
  CallEnd end = CallEnd::failed;
  Reply reply;
  std::string message;  // why it is not ok, for people
  bool fatal = false;   // of the endpoint and not of this call: a wrong key, no such model, no connection
  int status = 0;       // HTTP, of the last try
  int tries = 0;        // 0: replayed, or nothing was sent
  double seconds = 0;   // of the last try, from the request to the last byte
  double first_token_s = 0;  // 0: none came
  double waited_s = 0;       // between tries
  bool replayed = false;     // from a cassette: nothing was paid
  std::optional<Wire> wire;  // where it is another than the endpoint's
};

class Client {
 public:
  // The user's mistakes (a URL without a scheme, a cassette that cannot be read, a build without HTTP) are
  // Errors. A replay needs no HTTP.
  static Result<std::unique_ptr<Client>> open(Endpoint endpoint);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  // `sample` tells equal requests apart in a cassette: the n-th sample replays the n-th recording. Blocks
  // while `concurrency` calls are under way; returns soon after `stop` is set.
  [[nodiscard]] Completion complete(const ChatRequest& request, int sample, const std::atomic<bool>& stop);
  [[nodiscard]] const Endpoint& endpoint() const;

 private:
  struct Impl;
  explicit Client(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kgb::llm
