// SPDX-License-Identifier: Apache-2.0
// Frames between processes, read and written with poll so that a silent peer cannot hold the caller.
#include "base/frame.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/fd.hpp"

namespace kgb {
namespace {

FrameEnd read_exact(int fd, void* data, std::size_t size, const Deadline& deadline, bool at_start) {
  auto* out = static_cast<char*>(data);
  std::size_t done = 0;
  while (done < size) {
    const Result<bool> ready = wait_for(fd, POLLIN, deadline);
    if (!ready) return FrameEnd::io;
    if (!*ready) return FrameEnd::deadline;
    const ssize_t n = ::read(fd, out + done, std::min<std::size_t>(size - done, 1u << 30));
    if (n == 0) return at_start && done == 0 ? FrameEnd::closed : FrameEnd::malformed;
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return at_start && done == 0 && errno == ECONNRESET ? FrameEnd::closed : FrameEnd::io;
    }
    done += static_cast<std::size_t>(n);
  }
  return FrameEnd::none;
}

Status write_exact(int fd, const void* data, std::size_t size, const Deadline& deadline) {
  const auto* in = static_cast<const char*>(data);
  std::size_t done = 0;
  while (done < size) {
    KGB_TRY(const bool ready, wait_for(fd, POLLOUT, deadline));
    if (!ready) return host_error("a process did not take its request in time");
    const ssize_t n = ::write(fd, in + done, std::min<std::size_t>(size - done, 1u << 30));
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return host_error(std::string("cannot write to a process: ") + std::strerror(errno));
    }
    done += static_cast<std::size_t>(n);
  }
  return ok_status();
}

// Header and JSON: what stands before the blob.
std::string text_of(std::string_view json, std::uint64_t blob_bytes) {
  const auto json_bytes = static_cast<std::uint32_t>(json.size());
  std::array<char, kFrameHeader> header{};
  std::copy(kFrameMagic.begin(), kFrameMagic.end(), header.begin());
  std::memcpy(header.data() + 4, &json_bytes, sizeof json_bytes);
  std::memcpy(header.data() + 8, &blob_bytes, sizeof blob_bytes);
  return std::string(header.data(), header.size()).append(json);
}

FrameRead ended(FrameEnd end, std::string message) {
  FrameRead read;
  read.end = end;
  read.message = std::move(message);
  return read;
}

// Reads in steps, so that a peer that announces much and sends little costs little memory.
FrameEnd read_growing(int fd, auto& target, std::size_t size, const Deadline& deadline) {
  constexpr std::size_t step = 16u << 20;
  while (target.size() < size) {
    const std::size_t have = target.size();
    const std::size_t take = std::min(step, size - have);
    target.resize(have + take);
    const FrameEnd end = read_exact(fd, target.data() + have, take, deadline, false);
    if (end != FrameEnd::none) return end;
  }
  return FrameEnd::none;
}

}  // namespace

FrameRead read_frame(int fd, const Deadline& deadline, const FrameLimits& limits) {
  std::array<char, kFrameHeader> header{};
  if (const FrameEnd end = read_exact(fd, header.data(), header.size(), deadline, true);
      end != FrameEnd::none)
    return ended(end, "no frame header");
  if (!std::equal(kFrameMagic.begin(), kFrameMagic.end(), header.begin()))
    return ended(FrameEnd::malformed, "the bytes are no frame");
  std::uint32_t json_bytes = 0;
  std::uint64_t blob_bytes = 0;
  std::memcpy(&json_bytes, header.data() + 4, sizeof json_bytes);
  std::memcpy(&blob_bytes, header.data() + 8, sizeof blob_bytes);
  if (json_bytes > limits.json_bytes || blob_bytes > limits.blob_bytes)
    return ended(FrameEnd::too_large, "the frame is over the size limit");
  FrameRead read;
  FrameEnd end = read_growing(fd, read.frame.json, json_bytes, deadline);
  if (end == FrameEnd::none) end = read_growing(fd, read.frame.blob, blob_bytes, deadline);
  if (end != FrameEnd::none) return ended(end, "the frame was cut off");
  return read;
}

Status write_frame(int fd, std::string_view json, std::span<const std::byte> blob, const Deadline& deadline) {
  if (json.size() > UINT32_MAX) return internal_error("a frame's JSON is over 4 GiB");
  const std::string start = text_of(json, blob.size());
  KGB_CHECK(write_exact(fd, start.data(), start.size(), deadline));
  return write_exact(fd, blob.data(), blob.size(), deadline);
}

std::string frame_text(std::string_view json) {
  return text_of(json, 0);
}

}  // namespace kgb
