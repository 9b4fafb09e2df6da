// SPDX-License-Identifier: Apache-2.0
// From what a person says, and the environment, to an Endpoint.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "llm/client.hpp"

namespace kgb::llm {

struct EndpointOptions {
  std::string model;     // "NAME", "anthropic/NAME", "openai/NAME", "openai-responses/NAME", "local"
  std::string wire;      // a wire's name; empty: the model's prefix says it, else the environment
  std::string base_url;  // empty: OPENAI_BASE_URL or ANTHROPIC_BASE_URL, else the vendor's own
  std::filesystem::path key_file;    // empty: OPENAI_API_KEY or ANTHROPIC_API_KEY
  std::vector<std::string> headers;  // "Name: value", besides the wire's own
  std::string extra_body;            // BodyOptions::extra
  std::string proxy;
  int concurrency = 8, tries = 5;
  double stall_s = 120;
  std::filesystem::path cassette;
  std::string cassette_mode = "auto";  // where a cassette is named
};
// The small model that kgbench brings itself: whoever starts its server fills in `base_url`.
[[nodiscard]] bool is_local(const EndpointOptions& options);

using Environment = std::function<std::optional<std::string>(const char* name)>;
[[nodiscard]] Environment process_environment();
using Warn = std::function<void(const std::string&)>;
[[nodiscard]] Warn warn_in_log();
// `warn` hears of a key file that others can read. Without a key where one is needed, the error says what to
// set.
[[nodiscard]] Result<Endpoint> endpoint_of(const EndpointOptions& options,
                                           const Environment& environment = process_environment(),
                                           const Warn& warn = warn_in_log());

}  // namespace kgb::llm
