// SPDX-License-Identifier: Apache-2.0
// What an author wrote into its result channel: frames, read as hostile input.
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "author/result_stream.hpp"
#include "base/frame.hpp"

namespace kgb::author {
namespace {

template <typename T>
T little_endian(std::string_view bytes) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;)
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(bytes[i]));
  return value;
}

bool has_nonce(std::string_view json, std::string_view nonce) {
  const auto header = nlohmann::json::parse(json, nullptr, false);  // not recursive: depth costs no stack
  if (!header.is_object()) return false;
  const auto it = header.find("nonce");
  return it != header.end() && it->is_string() && it->get_ref<const std::string&>() == nonce;
}

}  // namespace

ResultStream parse_result_stream(std::string_view bytes, std::string_view nonce, bool cut) {
  ResultStream stream;
  while (!bytes.empty()) {
    if (bytes.substr(0, kFrameMagic.size()) != kFrameMagic.substr(0, bytes.size())) {
      stream.forged = "bytes in the result channel are no frame";
      return stream;
    }
    if (bytes.size() < kFrameHeader) break;
    const std::uint64_t json = little_endian<std::uint32_t>(bytes.substr(4));
    const std::uint64_t blob = little_endian<std::uint64_t>(bytes.substr(8));
    const std::uint64_t rest = bytes.size() - kFrameHeader;
    if (json > rest || blob > rest - json) break;
    ResultFrame frame;
    frame.json = bytes.substr(kFrameHeader, json);
    if (!has_nonce(frame.json, nonce)) {
      stream.forged = "a frame in the result channel does not carry the session's nonce";
      return stream;
    }
    const auto data = std::as_bytes(std::span(bytes.substr(kFrameHeader + json, blob)));
    frame.blob.assign(data.begin(), data.end());
    stream.frames.push_back(std::move(frame));
    bytes.remove_prefix(kFrameHeader + json + blob);
  }
  stream.truncated = !bytes.empty() || cut;
  return stream;
}

}  // namespace kgb::author
