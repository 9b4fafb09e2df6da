// SPDX-License-Identifier: Apache-2.0
// What a person reads of a call that did not end well.
#pragma once

#include <string>

#include "llm/client.hpp"
#include "llm/http.hpp"
#include "llm/retry.hpp"

namespace kgb::llm {

// One line: which server, what happened, what to do. The key never stands in it, even where the server sent
// it.
[[nodiscard]] std::string why_not(const Endpoint& endpoint, const HttpReply& http, const Reply& reply,
                                  Fate fate, int tries);

}  // namespace kgb::llm
