// SPDX-License-Identifier: Apache-2.0
// Frames between processes, read and written with poll so that a silent peer cannot hold the caller.
#include "base/frame.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace kgb {
namespace {

constexpr std::array<char, 4> kMagic{'K', 'G', 'F', '1'};
constexpr std::size_t kHeaderBytes = 16;

// Milliseconds for poll: -1 waits for ever, 0 means that the deadline has passed.
int poll_timeout(FrameDeadline deadline) {
  if (deadline == FrameDeadline::max()) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
  return static_cast<int>(std::clamp<long long>(left, 0, 1'000'000));
}

// Waits until fd is ready; false when the deadline passed first.
bool ready(int fd, short events, FrameDeadline deadline) {
  while (true) {
    pollfd p{fd, events, 0};
    const int timeout = poll_timeout(deadline);
    const int n = ::poll(&p, 1, timeout);
    if (n > 0) return true;
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 && deadline != FrameDeadline::max() && std::chrono::steady_clock::now() < deadline) continue;
    return n < 0;  // let read or write report a broken descriptor
  }
}

FrameEnd read_exact(int fd, void* data, std::size_t size, FrameDeadline deadline, bool at_start) {
  auto* out = static_cast<char*>(data);
  std::size_t done = 0;
  while (done < size) {
    if (!ready(fd, POLLIN, deadline)) return FrameEnd::deadline;
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

Status write_exact(int fd, const void* data, std::size_t size, FrameDeadline deadline) {
  const auto* in = static_cast<const char*>(data);
  std::size_t done = 0;
  while (done < size) {
    if (!ready(fd, POLLOUT, deadline)) return host_error("a process did not take its request in time");
    const ssize_t n = ::write(fd, in + done, std::min<std::size_t>(size - done, 1u << 30));
    if (n < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return host_error(std::string("cannot write to a process: ") + std::strerror(errno));
    }
    done += static_cast<std::size_t>(n);
  }
  return ok_status();
}

FrameRead ended(FrameEnd end, std::string message) {
  FrameRead read;
  read.end = end;
  read.message = std::move(message);
  return read;
}

// Reads in steps, so that a peer that announces much and sends little costs little memory.
FrameEnd read_growing(int fd, auto& target, std::size_t size, FrameDeadline deadline) {
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

FrameRead read_frame(int fd, FrameDeadline deadline, const FrameLimits& limits) {
  std::array<char, kHeaderBytes> header{};
  if (const FrameEnd end = read_exact(fd, header.data(), header.size(), deadline, true);
      end != FrameEnd::none)
    return ended(end, "no frame header");
  if (!std::equal(kMagic.begin(), kMagic.end(), header.begin()))
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

Status write_frame(int fd, std::string_view json, std::span<const std::byte> blob, FrameDeadline deadline) {
  if (json.size() > UINT32_MAX) return internal_error("a frame's JSON is over 4 GiB");
  std::array<char, kHeaderBytes> header{};
  std::copy(kMagic.begin(), kMagic.end(), header.begin());
  const auto json_bytes = static_cast<std::uint32_t>(json.size());
  const std::uint64_t blob_bytes = blob.size();
  std::memcpy(header.data() + 4, &json_bytes, sizeof json_bytes);
  std::memcpy(header.data() + 8, &blob_bytes, sizeof blob_bytes);
  std::string start(header.data(), header.size());
  start.append(json);
  KGB_CHECK(write_exact(fd, start.data(), start.size(), deadline));
  return write_exact(fd, blob.data(), blob.size(), deadline);
}

}  // namespace kgb
