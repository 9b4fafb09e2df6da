// SPDX-License-Identifier: Apache-2.0
// The transport for many clients: streamable HTTP on a socket.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "serve/http_endpoint.hpp"

namespace kgb::serve {

struct HttpBinding {
  std::string host = "127.0.0.1";
  int port = 0;  // 0: a free one
};

class HttpListener {
 public:
  // A port that is taken is the user's Error; a build without HTTP the host's.
  [[nodiscard]] static Result<std::unique_ptr<HttpListener>> open(HttpEndpoint& endpoint,
                                                                  const HttpBinding& binding);
  virtual ~HttpListener() = default;
  [[nodiscard]] virtual int port() const = 0;
  [[nodiscard]] virtual Status serve() = 0;  // until stop()
  virtual void stop() = 0;                   // from any thread
};

}  // namespace kgb::serve
