// SPDX-License-Identifier: Apache-2.0
// What becomes of a call after each try: whether it is tried again, after how long, and whose fault it is.
// Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "llm/http.hpp"
#include "llm/wire.hpp"

namespace kgb::llm {

enum class Fate {
  good,     // a whole reply
  partial,  // text came, its end did not: it has been paid for, and is not asked for again
  again,    // worth another try
  wrong,    // this request: another one may fare better
  fatal,    // this endpoint: no other call would fare better
};
// `again` also where no try is left; what that means then is `last`'s to say.
[[nodiscard]] Fate fate_of(const HttpReply& http, const Reply& reply);
// After the last try of a call whose fate was `again`: fatal where nothing ever answered, else wrong.
[[nodiscard]] Fate last_fate(const HttpReply& http);

struct Backoff {
  double first_s = 1;   // doubled after each try
  double most_s = 120;  // Retry-After included
};
// Seconds before the next try. `tries`: done so far, at least 1. `asked`: what the server asked for.
// `jitter`: uniform over [0, 1), so that callers who failed together do not come back together.
[[nodiscard]] double wait_s(int tries, std::optional<double> asked, double jitter, const Backoff& backoff);

// Seconds that a reply asks to wait for: Retry-After-Ms, or Retry-After as seconds or as a date of HTTP (then
// counted from `now`; a date that has passed is 0). nullopt: it asks for nothing that can be read.
[[nodiscard]] std::optional<double> asked_wait_s(const HttpReply& http,
                                                 std::chrono::system_clock::time_point now);

}  // namespace kgb::llm
