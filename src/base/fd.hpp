// SPDX-License-Identifier: Apache-2.0
// Owned file descriptors, pipes, sockets and pidfds: the thin layer over the kernel that the process code
// uses.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace kgb {

// Owns one descriptor; -1 is none.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int owned) : fd_(owned) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  Fd(const Fd&) = delete;
  Fd& operator=(const Fd&) = delete;
  ~Fd() { reset(); }

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  [[nodiscard]] int release() { return std::exchange(fd_, -1); }
  void reset();

 private:
  int fd_ = -1;
};

// "cannot open '/x': Permission denied" as a host error; reads errno.
[[nodiscard]] Error errno_error(std::string_view what);

struct Pipe {
  Fd read, write;
};
// Everything made here is close-on-exec.
[[nodiscard]] Result<Pipe> make_pipe();
[[nodiscard]] Result<std::pair<Fd, Fd>> make_socket_pair();  // AF_UNIX, SOCK_STREAM
// An anonymous file holding `bytes`, at offset 0, sealed against any change: to hand bytes to a process.
[[nodiscard]] Result<Fd> make_sealed_file(std::string_view bytes);
[[nodiscard]] Status set_nonblocking(int fd, bool on);

// Writes all of it; an error names `what`. SIGPIPE is not raised on sockets; for pipes the process ignores
// it.
[[nodiscard]] Status write_all(int fd, std::span<const std::byte> bytes, std::string_view what);
// Reads exactly `size` bytes or fails: at the end of the stream, at an error, when the deadline passes.
[[nodiscard]] Result<std::string> read_exactly(int fd, std::size_t size, const Deadline& deadline,
                                               std::string_view what);
// Reads until the end of the stream. More than `max_bytes`, or the deadline passing first, is an error.
[[nodiscard]] Result<std::string> read_to_end(int fd, std::size_t max_bytes, const Deadline& deadline,
                                              std::string_view what);
// Waits until one of the events of poll(2) is there. False: the deadline passed.
[[nodiscard]] Result<bool> wait_for(int fd, short events, const Deadline& deadline);

// Sends bytes on a Unix stream socket, the descriptors with the first of them.
[[nodiscard]] Status send_with_fds(int socket, std::string_view bytes, std::span<const int> fds,
                                   const Deadline& deadline);
// Reads exactly `size` bytes and every descriptor that comes with them (at most 8).
[[nodiscard]] Result<std::string> receive_with_fds(int socket, std::size_t size, std::vector<Fd>& fds,
                                                   const Deadline& deadline);

// How a process ended, with what it used.
struct Exit {
  bool signalled = false;
  int code = 0;  // exit code, or the signal's number
  double cpu_seconds = 0;
  std::size_t peak_rss_bytes = 0;  // of the process itself
};
[[nodiscard]] Result<Fd> open_pidfd(pid_t pid);
// Sends a signal; a process that is gone is no error.
[[nodiscard]] Status signal_pidfd(int pidfd, int signal);
// Waits for the process to end and reaps it. nullopt: the deadline passed, nothing was reaped.
[[nodiscard]] Result<std::optional<Exit>> wait_pidfd(int pidfd, const Deadline& deadline);

// From the kernel's generator.
[[nodiscard]] Result<std::string> random_bytes(std::size_t size);

}  // namespace kgb
