// SPDX-License-Identifier: Apache-2.0
// Tokens of a model call, as the server counted them.
#pragma once

#include <cstdint>

namespace kgb::llm {

// `known` false: the server told none; the numbers mean nothing then and are shown as unknown, never as 0.
struct Usage {
  bool known = false;
  std::int64_t prompt = 0;       // all of the prompt, what came from a cache included
  std::int64_t cached = 0;       // of prompt: read from the provider's cache
  std::int64_t cache_write = 0;  // of prompt: written into it (Anthropic charges these differently)
  std::int64_t completion = 0;   // all that was generated, reasoning included
  std::int64_t reasoning = 0;    // of completion
};

// Of English and code; for estimates, where nothing counts.
inline constexpr std::int64_t kBytesPerToken = 4;

}  // namespace kgb::llm
