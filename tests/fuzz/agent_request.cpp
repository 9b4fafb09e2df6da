// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as an agent's request to the metering proxy. The first byte chooses the wire. What
// is let through keeps its promises: an object with a cap, and the same again when it is prepared again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "llm/proxy_request.hpp"
#include "llm/proxy_route.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kgb::llm;
  if (size < 1) return 0;
  const Wire wire = static_cast<Wire>(data[0] % 3);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Route route = route_of("POST", bytes, {});
  if (route.kind == Route::Kind::call && !route.path.starts_with(path_of(*route.wire))) std::abort();
  RequestLimits limits;
  limits.model = "m";
  limits.most_tokens = 100;
  const PreparedRequest request = prepare_request(wire, bytes, limits);
  if (request.refusal) return 0;
  const PreparedRequest again = prepare_request(wire, request.body, limits);
  if (again.refusal || again.body != request.body || request.model != "m") std::abort();
  return 0;
}
