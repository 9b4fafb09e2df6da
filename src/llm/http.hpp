// SPDX-License-Identifier: Apache-2.0
// One HTTP exchange with a model server: sent whole, read as it comes, given up when nothing comes.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "llm/wire.hpp"

namespace kgb::llm {

// Where a reply begins, before the first byte of its body; interim replies are left out.
using OnHead = std::function<void(int status, const Headers& headers)>;

struct HttpRequest {
  std::string method = "POST";
  std::string url;
  Headers headers;
  std::string body;
  std::string proxy;      // empty: from the environment
  double connect_s = 20;  // for the connection, TLS included
  double stall_s = 120;   // without a byte in either direction
  std::size_t max_bytes = kMaxReplyBytes;
  OnHead on_head;  // may be empty
};

enum class HttpEnd {
  whole,
  cut,            // the connection was lost before the end
  stalled,        // no byte for HttpRequest::stall_s
  too_large,      // more than HttpRequest::max_bytes
  no_connection,  // resolving, connecting or TLS took too long or was refused
  unusable,       // no later try would fare better: a certificate, a URL
  cancelled,
};

struct HttpReply {
  HttpEnd end = HttpEnd::whole;
  int status = 0;   // 0: none came
  Headers headers;  // names in lower case
  double seconds = 0;
  std::size_t bytes = 0;
  std::string message;  // what went wrong, where `end` is not whole
  [[nodiscard]] std::string header(std::string_view name) const;
};

// Bytes of the reply's body, with the seconds since the request began.
using OnBytes = std::function<void(std::string_view bytes, double seconds)>;

// Thread-safe; connections are kept for the next exchange. Redirects are not followed: the key would go with
// them to another server.
class HttpTransport {
 public:
  virtual ~HttpTransport() = default;
  [[nodiscard]] virtual HttpReply send(const HttpRequest& request, const OnBytes& on_bytes,
                                       const std::atomic<bool>& stop) = 0;
};
// An Error in a build without HTTP.
[[nodiscard]] Result<std::unique_ptr<HttpTransport>> open_http();

// "https://host:port" of a URL: no path, no name and password, no query.
[[nodiscard]] std::string origin_of(std::string_view url);

}  // namespace kgb::llm
