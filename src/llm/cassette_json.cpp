// SPDX-License-Identifier: Apache-2.0
// The lines of a cassette, and the hash that finds them.
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "llm/recording.hpp"
#include "llm/server_json.hpp"

namespace kgb::llm {
namespace {

using Json = nlohmann::json;

constexpr int kVersion = 1;

Result<std::string> body_of(const Json& json) {
  if (const Json* text = member(json, "body"); text != nullptr && text->is_string())
    return text->get<std::string>();
  const auto bytes = base64_decode(text_in(json, "body_base64"));
  if (!bytes || !json.contains("body_base64")) return user_error("body: must be text, or body_base64");
  return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

// The checks keep a file that was written by hand from a crash in the middle of a run.
Status read_pieces(const Json& json, Recording& recording) {
  std::size_t total = 0;
  const Json* pieces = member(json, "pieces");
  if (pieces == nullptr || !pieces->is_array()) return user_error("pieces: must be a list");
  for (const Json& piece : *pieces) {
    if (!piece.is_array() || piece.size() != 2 || !piece[0].is_number() || !piece[1].is_number_unsigned())
      return user_error("pieces: must be pairs of seconds and bytes");
    recording.pieces.push_back({piece[0].get<double>(), piece[1].get<std::size_t>()});
    total += recording.pieces.back().bytes;
  }
  if (total == recording.body.size()) return ok_status();
  return user_error("pieces: do not add up to the body");
}

}  // namespace

std::string canonical_hash(std::string_view body) {
  // The parsed form keeps members sorted by their names.
  const std::optional<Json> json = parse_json(body);
  return sha256_hex(json ? json->dump(-1, ' ', false, Json::error_handler_t::replace) : std::string(body));
}

std::string line_of(const Recording& recording) {
  Json headers = Json::object(), pieces = Json::array();
  for (const auto& [name, value] : recording.headers) headers[name] = value;
  for (const Piece& piece : recording.pieces) pieces.push_back({piece.at_s, piece.bytes});
  Json json{{"cassette", kVersion},
            {"method", recording.key.method},
            {"path", recording.key.path},
            {"request", recording.key.request},
            {"sample", recording.key.sample},
            {"status", recording.status},
            {"headers", std::move(headers)},
            {"pieces", std::move(pieces)},
            {"recorded", {{"by", recording.by}, {"from", recording.from}, {"at", recording.at}}}};
  if (is_utf8(recording.body))
    json["body"] = recording.body;
  else
    json["body_base64"] = base64_encode(std::as_bytes(std::span(recording.body)));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Recording> recording_of(std::string_view line) {
  const std::optional<Json> json = parse_json(line);
  if (!json || !json->is_object()) return user_error("is no JSON object");
  if (count_of(*json, "cassette") != kVersion)
    return user_error("cassette: must be " + std::to_string(kVersion) + ", the version that kgbench reads");
  Recording recording;
  recording.key.method = text_in(*json, "method");
  recording.key.path = text_in(*json, "path");
  recording.key.request = text_in(*json, "request");
  const auto sample = count_of(*json, "sample"), status = count_of(*json, "status");
  if (recording.key.request.empty() || !sample || *sample > 1'000'000 || !status || *status > 999)
    return user_error("request, sample, status: must be a hash and two numbers");
  recording.key.sample = static_cast<int>(*sample);
  recording.status = static_cast<int>(*status);
  if (const Json* headers = member(*json, "headers"); headers != nullptr && headers->is_object())
    for (const auto& [name, value] : headers->items())
      if (value.is_string()) recording.headers.emplace_back(name, value.get<std::string>());
  KGB_TRY(recording.body, body_of(*json));
  KGB_CHECK(read_pieces(*json, recording));
  if (const Json* recorded = member(*json, "recorded")) {
    recording.by = text_in(*recorded, "by");
    recording.from = text_in(*recorded, "from");
    recording.at = text_in(*recorded, "at");
  }
  return recording;
}

}  // namespace kgb::llm
