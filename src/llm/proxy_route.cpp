// SPDX-License-Identifier: Apache-2.0
// Takes requests apart. Only paths that are known letter by letter are passed on: an encoded or dotted one is
// not.
#include "llm/proxy_route.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace kgb::llm {
namespace {

constexpr std::string_view kPrefix = "/t/", kService = "/kgbench/", kVersion = "/v1";

std::string header(const Headers& headers, std::string_view name) {
  for (const auto& [found, value] : headers)
    if (to_lower(found) == name) return value;
  return {};
}

std::string token_in(const Headers& headers) {
  constexpr std::string_view kBearer = "bearer ";
  const std::string bearer = header(headers, "authorization");
  if (to_lower(bearer.substr(0, kBearer.size())) == kBearer)
    return std::string(trim(std::string_view(bearer).substr(kBearer.size())));
  return header(headers, "x-api-key");
}

// Base URLs are given with and without /v1.
std::string with_version(std::string_view path) {
  return path.starts_with("/v1/") ? std::string(path) : std::string(kVersion) + std::string(path);
}

}  // namespace

Route route_of(std::string_view method, std::string_view target, const Headers& headers) {
  Route route;
  route.method = method;
  std::string_view path = target.substr(0, target.find('?'));
  const std::string_view query = target.substr(path.size());
  if (path.starts_with(kPrefix)) {
    path.remove_prefix(kPrefix.size());
    const std::size_t end = std::min(path.find('/'), path.size());
    route.token = path.substr(0, end);
    path.remove_prefix(end);
  } else {
    route.token = token_in(headers);
  }
  if (path.starts_with(kService)) {
    if (method == "POST") route.kind = Route::Kind::service;
    route.service = path.substr(kService.size());
    return route;
  }
  const std::string known = with_version(path);
  route.wire = header(headers, "anthropic-version").empty() ? std::nullopt : std::optional(Wire::anthropic);
  for (const Wire wire : {Wire::openai_chat, Wire::openai_responses, Wire::anthropic})
    if (known == path_of(wire)) {
      route.wire = wire;
      if (method == "POST") route.kind = Route::Kind::call;
    }
  if ((method == "GET" && known == "/v1/models") ||
      (method == "POST" && known == "/v1/messages/count_tokens"))
    route.kind = Route::Kind::free;
  if (known == "/v1/messages/count_tokens") route.wire = Wire::anthropic;
  route.path = known + std::string(query);
  return route;
}

Headers passed_on(const Headers& headers) {
  static constexpr std::array<std::string_view, 6> kKnown{"accept",      "content-type",    "user-agent",
                                                          "openai-beta", "idempotency-key", "anthropic-beta"};
  Headers out;
  for (const auto& [name, value] : headers) {
    const std::string lower = to_lower(name);
    if (lower == "anthropic-version" || std::find(kKnown.begin(), kKnown.end(), lower) != kKnown.end())
      out.emplace_back(lower, value);
  }
  return out;
}

Headers passed_back(const Headers& headers) {
  static constexpr std::array<std::string_view, 9> kOfConnection{
      "connection", "keep-alive", "transfer-encoding", "content-length",    "content-type",
      "upgrade",    "trailer",    "set-cookie",        "proxy-authenticate"};
  Headers out;
  for (const auto& [name, value] : headers)
    if (std::find(kOfConnection.begin(), kOfConnection.end(), to_lower(name)) == kOfConnection.end())
      out.emplace_back(name, value);
  return out;
}

}  // namespace kgb::llm
