// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a line of a cassette. One that is accepted must read the same when it is written
// and read again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "llm/recording.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto recording = kgb::llm::recording_of({reinterpret_cast<const char*>(data), size});
  if (!recording.ok()) return 0;
  const std::string line = kgb::llm::line_of(*recording);
  const auto again = kgb::llm::recording_of(line);
  if (!again.ok() || again->key != recording->key || again->body != recording->body ||
      kgb::llm::line_of(*again) != line)
    std::abort();
  return 0;
}
