// SPDX-License-Identifier: Apache-2.0
// What a request to the metering proxy asks for, and what of it goes on.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "llm/wire.hpp"

namespace kgb::llm {

struct Route {
  enum class Kind {
    none,     // nothing that may be passed on
    call,     // a call of a model, by `wire`
    free,     // costs nothing and is not counted
    service,  // for the account's holder, by `service`
  };
  Kind kind = Kind::none;
  std::string method;
  std::string token;         // empty: none was shown
  std::optional<Wire> wire;  // of a call; elsewhere the form in which errors are told
  std::string path;          // "/v1/messages?beta=true": as the model server is asked
  std::string service;
};
// `target`: path and query as they came. The token stands in the path, or is the key that `headers` show.
[[nodiscard]] Route route_of(std::string_view method, std::string_view target, const Headers& headers);

// The headers that go on: what describes the request, nothing that says who asks.
[[nodiscard]] Headers passed_on(const Headers& headers);
// The headers that come back: all but those of the connection.
[[nodiscard]] Headers passed_back(const Headers& headers);

}  // namespace kgb::llm
