// SPDX-License-Identifier: Apache-2.0
// Frames between processes: a JSON text and a blob, with limits and a deadline. docs/contracts/wire.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace kgb {

// A frame's first bytes, and the length of its header: those, the JSON's length, the blob's length.
inline constexpr std::string_view kFrameMagic = "KGF1";
inline constexpr std::size_t kFrameHeader = 16;

struct Frame {
  std::string json;
  std::vector<std::byte> blob;
};

struct FrameLimits {
  std::size_t json_bytes = 64u << 20;
  std::size_t blob_bytes = std::size_t{8} << 30;
};

// What ended a read that gave no frame.
enum class FrameEnd { none, closed, deadline, malformed, too_large, io };

struct FrameRead {
  Frame frame;
  FrameEnd end = FrameEnd::none;  // none: `frame` is whole
  std::string message;
};

// Blocks until a whole frame, end of file, or the deadline. Never throws; a hostile peer costs at most the
// limits.
[[nodiscard]] FrameRead read_frame(int fd, const Deadline& deadline, const FrameLimits& limits = {});
// The bytes of a frame that has no blob.
[[nodiscard]] std::string frame_text(std::string_view json);
// Writes all bytes or fails; the peer may be gone (EPIPE is an error, not a signal: every main
// ignores SIGPIPE).
[[nodiscard]] Status write_frame(int fd, std::string_view json, std::span<const std::byte> blob,
                                 const Deadline& deadline = Deadline::never());

}  // namespace kgb
