// SPDX-License-Identifier: Apache-2.0
// A request of the reward stream as its line says it, before anything is looked up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "nlohmann/json.hpp"

namespace kgb::app {

struct StreamRequest {
  nlohmann::json id;  // a text or an integer
  std::string op;
  std::string language;  // "triton", "cpp" or "cuda"
  // One of the two.
  std::optional<std::string> source, file;
  std::optional<std::uint64_t> seed;
};

// The line is hostile input: docs/reward-stream.schema.json.
[[nodiscard]] Result<StreamRequest> stream_request_from_json(std::string_view line);
// The id of a line that is wrong otherwise, so that the caller can still tell which it was; null if it has
// none.
[[nodiscard]] nlohmann::json stream_id_of(std::string_view line);

}  // namespace kgb::app
