// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any line as a request of the reward stream.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "stream_request.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  (void)kgb::app::stream_request_from_json(line);
  (void)kgb::app::stream_id_of(line);
  return 0;
}
