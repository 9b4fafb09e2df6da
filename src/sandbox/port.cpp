// SPDX-License-Identifier: Apache-2.0
// Opens a port in a namespace and hands it out.
#include "sandbox/port.hpp"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace kgb::sandbox {
namespace {

constexpr int kWaiting = 64;  // connections that are not accepted yet
constexpr Millis kPatience{20'000};

int loopback_up() noexcept {
  const Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.open()) return errno;
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", 3);
  if (::ioctl(fd.get(), SIOCGIFFLAGS, &request) != 0) return errno;
  request.ifr_flags = static_cast<short>(request.ifr_flags | IFF_UP);
  return ::ioctl(fd.get(), SIOCSIFFLAGS, &request) == 0 ? 0 : errno;
}

int send_socket(int channel, int fd) noexcept {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return ::sendmsg(channel, &message, MSG_NOSIGNAL) == 1 ? 0 : errno;
}

}  // namespace

PreparedLock::Failure open_port(std::uint16_t port, int channel) noexcept {
  if (const int code = loopback_up(); code != 0) return {"bring its loopback up", code};
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.open()) return {"make a socket", errno};
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
    return {"take a port of its loopback", errno};
  if (::listen(fd.get(), kWaiting) != 0) return {"listen on its loopback", errno};
  if (const int code = send_socket(channel, fd.get()); code != 0) return {"hand its port out", code};
  return {};
}

Result<Fd> receive_port(int channel) {
  std::vector<Fd> fds;
  const auto byte = receive_with_fds(channel, 1, fds, Deadline(kPatience));
  if (!byte.ok()) return byte.error();
  if (fds.size() != 1) return host_error("a child handed no port out");
  return std::move(fds[0]);
}

}  // namespace kgb::sandbox
