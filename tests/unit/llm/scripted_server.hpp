// SPDX-License-Identifier: Apache-2.0
// A model server that says what a test tells it to, byte by byte, and a client that sends what it is told to.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "base/text.hpp"

namespace kgb::llm {

inline constexpr Millis kPatience{20'000};

inline Fd connect_to(int port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) fd.reset();
  return fd;
}

inline void say(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

// Bytes until `wanted` is among them, the other side is done, or patience ends.
inline std::string hear(int fd, std::string_view wanted = {}) {
  std::string out;
  std::array<char, 4096> part;
  while (wanted.empty() || out.find(wanted) == std::string::npos) {
    const auto ready = wait_for(fd, POLLIN, Deadline(kPatience));
    if (!ready.ok() || !ready.value()) break;
    const ssize_t got = ::recv(fd, part.data(), part.size(), 0);
    if (got <= 0) break;
    out.append(part.data(), static_cast<std::size_t>(got));
  }
  return out;
}

// True once the other side has gone.
inline bool hung_up(int fd) {
  char byte = 0;
  const auto ready = wait_for(fd, POLLIN, Deadline(kPatience));
  return ready.ok() && ready.value() && ::recv(fd, &byte, 1, 0) <= 0;
}

class ScriptedServer {
 public:
  // Called with each request, head and body, on a thread of its own; the connection ends with it.
  using Script = std::function<void(int fd, const std::string& request)>;
  explicit ScriptedServer(Script script) : script_(std::move(script)) {
    listener_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    ::bind(listener_.get(), generic, size), ::listen(listener_.get(), 64);
    ::getsockname(listener_.get(), generic, &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~ScriptedServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    for (std::thread& talk : talks_) talk.join();
  }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<std::string> requests() const {
    const std::lock_guard hold(mutex_);
    return requests_;
  }

 private:
  void accept_all() {
    while (true) {
      const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (fd < 0) return;
      talks_.emplace_back([this, fd] { talk(Fd(fd)); });
    }
  }
  void talk(Fd fd) {
    std::string request = hear(fd.get(), "\r\n\r\n");
    const std::size_t head = request.find("\r\n\r\n");
    if (head == std::string::npos) return;
    const std::string lower = to_lower(request.substr(0, head));
    std::size_t length = 0;
    if (const std::size_t at = lower.find("content-length: "); at != std::string::npos)
      length = std::stoul(lower.substr(at + 16));
    while (request.size() < head + 4 + length) {
      std::array<char, 4096> part;
      const ssize_t got = ::recv(fd.get(), part.data(), part.size(), 0);
      if (got <= 0) return;
      request.append(part.data(), static_cast<std::size_t>(got));
    }
    {
      const std::lock_guard hold(mutex_);
      requests_.push_back(request);
    }
    script_(fd.get(), request);
  }

  Script script_;
  Fd listener_;
  int port_ = 0;
  std::thread acceptor_;
  std::vector<std::thread> talks_;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
};

// -- replies ----------------------------------------------------------------------------------------------

inline std::string reply_of(const std::string& body, const std::string& status = "200 OK",
                            const std::string& more = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Type: application/json\r\n" + more +
         "Connection: close\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}
// The head of a stream that ends with its last chunk; without one it is cut.
inline const std::string kStream =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: "
    "chunked\r\nConnection: close\r\n\r\n";
inline std::string chunk(const std::string& bytes) {
  std::array<char, 16> size{};
  std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return size.data() + bytes + "\r\n";
}
inline std::string unchunked(std::string_view body) {
  std::string out;
  while (true) {
    const std::size_t line = body.find("\r\n");
    if (line == std::string_view::npos) return out;
    const std::size_t size = std::stoul(std::string(body.substr(0, line)), nullptr, 16);
    if (size == 0) return out;
    out += body.substr(line + 2, size);
    body.remove_prefix(std::min(body.size(), line + 2 + size + 2));
  }
}
inline std::string body_of(const std::string& message) {
  const std::size_t head = message.find("\r\n\r\n");
  return head == std::string::npos ? "" : message.substr(head + 4);
}

}  // namespace kgb::llm
