// SPDX-License-Identifier: Apache-2.0
// Owned file descriptors, pipes, sockets, and reading and writing them with deadlines.
#include "base/fd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace kgb {
namespace {

constexpr std::size_t kMaxFds = 8;

}  // namespace

void Fd::reset() {
  // close() is not retried on EINTR: Linux has released the descriptor by then.
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

Error errno_error(std::string_view what) {
  const int code = errno;
  return host_error(std::string(what) + ": " + std::strerror(code));
}

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return errno_error("cannot make a pipe");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Result<std::pair<Fd, Fd>> make_socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return errno_error("cannot make a socket pair");
  }
  return std::pair<Fd, Fd>{Fd(ends[0]), Fd(ends[1])};
}

Result<Fd> make_sealed_file(std::string_view bytes) {
  Fd file(::memfd_create("kgbench", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.open()) return errno_error("cannot make an anonymous file");
  KGB_CHECK(write_all(file.get(), std::as_bytes(std::span(bytes)), "an anonymous file"));
  if (::lseek(file.get(), 0, SEEK_SET) != 0) return errno_error("cannot rewind an anonymous file");
  if (::fcntl(file.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0) {
    return errno_error("cannot seal an anonymous file");
  }
  return file;
}

Status set_nonblocking(int fd, bool on) {
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK) != 0) {
    return errno_error("cannot change a descriptor's mode");
  }
  return ok_status();
}

Status write_all(int fd, std::span<const std::byte> bytes, std::string_view what) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno_error("cannot write " + std::string(what));
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return ok_status();
}

Result<bool> wait_for(int fd, short events, const Deadline& deadline) {
  while (true) {
    pollfd entry{fd, events, 0};
    const int ready = ::poll(&entry, 1, deadline.poll_ms());
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return errno_error("cannot wait for a descriptor");
    if (deadline.passed()) return false;
  }
}

Result<std::string> read_exactly(int fd, std::size_t size, const Deadline& deadline, std::string_view what) {
  std::string out(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    KGB_TRY(const bool ready, wait_for(fd, POLLIN, deadline));
    if (!ready) return host_error("no answer in time from " + std::string(what));
    const ssize_t got = ::read(fd, out.data() + have, size - have);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return errno_error("cannot read from " + std::string(what));
    if (got == 0) return host_error(std::string(what) + " closed its end");
    have += static_cast<std::size_t>(got);
  }
  return out;
}

Result<std::string> read_to_end(int fd, std::size_t max_bytes, const Deadline& deadline,
                                std::string_view what) {
  std::string out;
  std::array<char, 4096> chunk;
  while (out.size() <= max_bytes) {
    KGB_TRY(const bool ready, wait_for(fd, POLLIN, deadline));
    if (!ready) return host_error("no answer in time from " + std::string(what));
    const ssize_t got = ::read(fd, chunk.data(), chunk.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return errno_error("cannot read from " + std::string(what));
    if (got == 0) return out;
    out.append(chunk.data(), static_cast<std::size_t>(got));
  }
  return host_error(std::string(what) + " wrote too much");
}

Status send_with_fds(int socket, std::string_view bytes, std::span<const int> fds, const Deadline& deadline) {
  if (fds.size() > kMaxFds || bytes.empty())
    return internal_error("send_with_fds: too many descriptors or no bytes");
  alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFds * sizeof(int))> control{};
  bool first = true;
  while (!bytes.empty()) {
    KGB_TRY(const bool ready, wait_for(socket, POLLOUT, deadline));
    if (!ready) return host_error("the other process does not take its request");
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (first && !fds.empty()) {
      message.msg_control = control.data();
      message.msg_controllen = CMSG_SPACE(fds.size_bytes());
      cmsghdr* header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(fds.size_bytes());
      std::memcpy(CMSG_DATA(header), fds.data(), fds.size_bytes());
    }
    const ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (sent < 0) return errno_error("cannot send to the other process");
    first = false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return ok_status();
}

Result<std::string> receive_with_fds(int socket, std::size_t size, std::vector<Fd>& fds,
                                     const Deadline& deadline) {
  std::string out(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    KGB_TRY(const bool ready, wait_for(socket, POLLIN, deadline));
    if (!ready) return host_error("no answer in time from the other process");
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMaxFds * sizeof(int))> control{};
    iovec part{out.data() + have, size - have};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return errno_error("cannot receive from the other process");
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
      std::array<int, kMaxFds> numbers{};
      const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      std::memcpy(numbers.data(), CMSG_DATA(header), count * sizeof(int));
      for (std::size_t i = 0; i < count; ++i) fds.emplace_back(numbers[i]);
    }
    if (got == 0) return host_error("the other process closed its end");
    have += static_cast<std::size_t>(got);
  }
  return out;
}

Result<std::string> random_bytes(std::size_t size) {
  std::string out(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = ::getrandom(out.data() + have, size - have, 0);
    if (got < 0 && errno != EINTR) return errno_error("the kernel gives no random bytes");
    if (got > 0) have += static_cast<std::size_t>(got);
  }
  return out;
}

}  // namespace kgb
