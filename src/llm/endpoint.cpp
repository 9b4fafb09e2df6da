// SPDX-License-Identifier: Apache-2.0
// From what a person says, and the environment, to an Endpoint.
#include "llm/endpoint.hpp"

#include <sys/stat.h>

#include <cstdlib>

#include "base/files.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "llm/http.hpp"

namespace kgb::llm {
namespace {

constexpr std::size_t kMaxKeyFile = std::size_t{16} << 10;
constexpr std::string_view kLocal = "local";

// Whose key and address a wire uses.
struct Vendor {
  const char *key, *base_url, *own_url;
};
const Vendor& vendor_of(Wire wire) {
  static constexpr Vendor kOpenAi{"OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com"};
  static constexpr Vendor kAnthropic{"ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"};
  return wire == Wire::anthropic ? kAnthropic : kOpenAi;
}

std::string value_of(const Environment& environment, const char* name) {
  return std::string(trim(environment(name).value_or("")));
}

bool is_set(const Vendor& vendor, const Environment& environment) {
  return !value_of(environment, vendor.key).empty() || !value_of(environment, vendor.base_url).empty();
}

// Fills in wire and model. A prefix is taken off only where it chose the wire: models have slashes, too.
Status choose_wire(const EndpointOptions& options, const Environment& environment, Endpoint& endpoint) {
  endpoint.model = options.model;
  if (!options.wire.empty()) {
    const std::vector<std::string> names{"openai", "openai-responses", "anthropic"};
    const std::optional<Wire> wire = wire_named(options.wire);
    if (!wire)
      return user_error("no wire " + in_quotes(options.wire) + did_you_mean(options.wire, names) +
                        ". Wires: " + join(names, ", "));
    endpoint.wire = *wire;
    return ok_status();
  }
  const std::size_t slash = options.model.find('/');
  if (slash != std::string::npos)
    if (const std::optional<Wire> wire = wire_named(options.model.substr(0, slash))) {
      endpoint.wire = *wire;
      endpoint.model = options.model.substr(slash + 1);
      return ok_status();
    }
  const bool openai = is_set(vendor_of(Wire::openai_chat), environment);
  if (!is_local(options) && !openai && is_set(vendor_of(Wire::anthropic), environment))
    endpoint.wire = Wire::anthropic;
  return ok_status();
}

Result<std::string> read_key(const std::filesystem::path& file, const Warn& warn) {
  KGB_TRY(const std::string text, read_file(file, kMaxKeyFile));
  const std::string_view key = trim(text);
  if (key.empty() || key.find_first_of(" \t\r\n") != std::string_view::npos)
    return user_error("the key file " + in_quotes(file.native()) + " must hold one word, the key");
  struct stat info{};
  if (::stat(file.c_str(), &info) == 0 && (info.st_mode & (S_IRGRP | S_IROTH)) != 0)
    warn("other users can read the key file " + in_quotes(file.native()) + ". Close it: chmod 600 " +
         file.string());
  return std::string(key);
}

Status find_key(const EndpointOptions& options, const Environment& environment, const Warn& warn,
                Endpoint& endpoint) {
  const Vendor& vendor = vendor_of(endpoint.wire);
  if (!options.key_file.empty()) {
    KGB_TRY(endpoint.key, read_key(options.key_file, warn));
    endpoint.key_source = options.key_file.string();
    return ok_status();
  }
  endpoint.key_source = vendor.key;
  endpoint.key = value_of(environment, vendor.key);
  if (!endpoint.key.empty() || endpoint.cassette_mode == CassetteMode::replay) return ok_status();
  if (endpoint.base_url != vendor.own_url) return ok_status();  // a server of one's own may want none
  return user_error("no key for " + endpoint.base_url + ". Set " + vendor.key +
                    ", or name a file that holds the key with --key-file; for a server of your own set " +
                    vendor.base_url + " or --base-url; --model local needs no key");
}

Status add_headers(const EndpointOptions& options, Endpoint& endpoint) {
  for (const std::string& header : options.headers) {
    const std::size_t colon = header.find(':');
    if (colon == 0 || colon == std::string::npos || header.find_first_of("\r\n") != std::string::npos)
      return user_error("--header must be 'Name: value', one line");
    endpoint.headers.emplace_back(trim(header.substr(0, colon)), trim(header.substr(colon + 1)));
  }
  return ok_status();
}

}  // namespace

Environment process_environment() {
  return [](const char* name) -> std::optional<std::string> {
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

Warn warn_in_log() {
  return [](const std::string& text) { log::warning(text); };
}

bool is_local(const EndpointOptions& options) {
  return options.model == kLocal;
}

Result<Endpoint> endpoint_of(const EndpointOptions& options, const Environment& environment,
                             const Warn& warn) {
  Endpoint endpoint;
  if (options.model.empty()) return user_error("no model was named. Add --model NAME, or --model local");
  KGB_CHECK(choose_wire(options, environment, endpoint));
  const Vendor& vendor = vendor_of(endpoint.wire);
  endpoint.base_url = options.base_url;
  if (endpoint.base_url.empty()) endpoint.base_url = value_of(environment, vendor.base_url);
  if (endpoint.base_url.empty()) endpoint.base_url = vendor.own_url;
  if (!options.cassette.empty()) {
    const std::optional<CassetteMode> mode = cassette_mode_named(options.cassette_mode);
    if (!mode || *mode == CassetteMode::off)
      return user_error("no cassette mode " + in_quotes(options.cassette_mode) +
                        ". Modes: record, replay, auto");
    endpoint.cassette = options.cassette;
    endpoint.cassette_mode = *mode;
  }
  // A vendor's key is not the local server's business.
  if (!is_local(options)) KGB_CHECK(find_key(options, environment, warn, endpoint));
  KGB_CHECK(add_headers(options, endpoint));
  endpoint.body.extra = options.extra_body;
  endpoint.body.max_completion_tokens = origin_of(endpoint.base_url) == "https://api.openai.com";
  endpoint.proxy = options.proxy;
  endpoint.concurrency = options.concurrency;
  endpoint.tries = options.tries;
  endpoint.stall_s = options.stall_s;
  return endpoint;
}

}  // namespace kgb::llm
