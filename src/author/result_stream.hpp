// SPDX-License-Identifier: Apache-2.0
// What an author wrote into its result channel: frames, read as hostile input.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kgb::author {

struct ResultFrame {
  std::string json;  // header, an object with the right nonce
  std::vector<std::byte> blob;
};

struct ResultStream {
  std::vector<ResultFrame> frames;  // those before anything went wrong
  // Why the rest of the bytes is no result: bytes that the recorder did not write. Empty: all are frames.
  std::string forged;
  bool truncated = false;  // ends within a frame, as after a crash: no forgery
};

// `cut`: more bytes came than were kept.
[[nodiscard]] ResultStream parse_result_stream(std::string_view bytes, std::string_view nonce, bool cut);

}  // namespace kgb::author
