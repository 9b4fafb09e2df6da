// SPDX-License-Identifier: Apache-2.0
// What becomes of a call after each try.
#include "llm/retry.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include "base/text.hpp"

namespace kgb::llm {
namespace {

// A server says in place of a reply that it cannot now: by its status, or in a stream that began well.
bool is_busy(int status, std::string_view kind) {
  constexpr std::array<std::string_view, 8> kKinds{
      "overloaded_error",      "api_error",     "rate_limit_error", "rate_limit_exceeded", "server_error",
      "internal_server_error", "timeout_error", "slow_down"};
  return status == 408 || status == 409 || status == 429 || status >= 500 ||
         (status < 300 && std::find(kKinds.begin(), kKinds.end(), kind) != kKinds.end());
}

// Another call would hear the same: no key, no credit, no such model, another place.
bool is_of_the_endpoint(int status, std::string_view kind) {
  return status == 401 || status == 402 || status == 403 || status == 404 || status == 405 ||
         (status >= 300 && status < 400) || kind == "insufficient_quota" || kind == "model_not_found";
}

std::optional<double> seconds_until(const std::string& date, std::chrono::system_clock::time_point now) {
  for (const char* form :
       {"%a, %d %b %Y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT", "%a %b %e %H:%M:%S %Y"}) {
    std::tm fields{};
    const char* end = ::strptime(date.c_str(), form, &fields);
    if (end == nullptr || *end != '\0') continue;
    const auto at = std::chrono::system_clock::from_time_t(::timegm(&fields));
    return std::max(0.0, std::chrono::duration<double>(at - now).count());
  }
  return std::nullopt;
}

}  // namespace

Fate fate_of(const HttpReply& http, const Reply& reply) {
  const bool answered = http.status >= 200 && http.status < 300;
  if (answered && reply.complete && reply.error.empty()) return Fate::good;
  if (http.end == HttpEnd::unusable) return Fate::fatal;
  if (answered && !(reply.text.empty() && reply.reasoning.empty())) return Fate::partial;
  if (http.end == HttpEnd::too_large) return Fate::wrong;
  if (http.end == HttpEnd::no_connection || http.end == HttpEnd::stalled) return Fate::again;
  if (http.end == HttpEnd::cut && (answered || http.status == 0)) return Fate::again;
  if (is_of_the_endpoint(http.status, reply.error_kind)) return Fate::fatal;
  return is_busy(http.status, reply.error_kind) ? Fate::again : Fate::wrong;
}

Fate last_fate(const HttpReply& http) {
  return http.end == HttpEnd::no_connection ? Fate::fatal : Fate::wrong;
}

double wait_s(int tries, std::optional<double> asked, double jitter, const Backoff& backoff) {
  const double doubled = backoff.first_s * std::exp2(std::clamp(tries - 1, 0, 30));
  // Never before the server's time; our own guess may be cut to half.
  const double wait = asked ? *asked * (1 + 0.1 * jitter) : doubled * (0.5 + 0.5 * jitter);
  return std::clamp(wait, 0.0, backoff.most_s);
}

std::optional<double> asked_wait_s(const HttpReply& http, std::chrono::system_clock::time_point now) {
  const auto seconds = [](const std::string& text, double unit) -> std::optional<double> {
    const std::optional<double> value = parse_double(text);
    if (!value || !std::isfinite(*value) || *value < 0) return std::nullopt;
    return *value * unit;
  };
  if (const auto asked = seconds(http.header("retry-after-ms"), 1e-3)) return asked;
  const std::string after = http.header("retry-after");
  if (after.empty()) return std::nullopt;
  if (const auto asked = seconds(after, 1)) return asked;
  return seconds_until(after, now);
}

}  // namespace kgb::llm
