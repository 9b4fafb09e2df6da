// SPDX-License-Identifier: Apache-2.0
// A server on loopback that answers as its script says: right, wrong, late, in part, not at all.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/fd.hpp"
#include "base/text.hpp"

namespace kgb::llm {

// One connection, its request read. Writing to a client that is gone does nothing.
class Talk {
 public:
  Talk(int socket, const std::atomic<bool>& stop) : socket_(socket), stop_(stop) {}
  void send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  // A reply of known length.
  void reply(int status, const std::string& body, const std::string& headers = "",
             const std::string& type = "application/json") const {
    send("HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: " + type +
         "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body);
  }
  void begin_stream() const {
    send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
  }
  void chunk(std::string_view bytes) const {
    char size[32];
    std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
    send(size + std::string(bytes) + "\r\n");
  }
  void end_stream() const { send("0\r\n\r\n"); }
  void stream(std::string_view bytes) const {
    begin_stream();
    chunk(bytes);
    end_stream();
  }
  // The connection is lost here.
  void cut() const { ::shutdown(socket_, SHUT_RDWR); }
  // False: the client has gone, or the server ends.
  bool wait(int ms) const {
    for (int waited = 0; waited < ms && !stop_; waited += 5) {
      pollfd events{socket_, POLLRDHUP, 0};
      if (::poll(&events, 1, 5) > 0) return false;
    }
    return !stop_;
  }
  void wait_for_the_client_to_go() const {
    while (wait(1000)) {
    }
  }

 private:
  int socket_;
  const std::atomic<bool>& stop_;
};

struct Seen {
  std::string head, body;
};

// The n-th request gets the n-th step of the script, those after it the last one.
class FaultServer {
 public:
  using Step = std::function<void(const Talk&)>;

  explicit FaultServer(std::vector<Step> script) : script_(std::move(script)) {
    listener_ = Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
      std::abort();
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~FaultServer() {
    stop_ = true;
    acceptor_.join();
    for (std::thread& talk : talks_) talk.join();
  }
  FaultServer(const FaultServer&) = delete;
  FaultServer& operator=(const FaultServer&) = delete;

  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::vector<Seen> seen() const {
    const std::lock_guard lock(mutex_);
    return seen_;
  }
  [[nodiscard]] int most_at_a_time() const { return most_; }

 private:
  void accept_all() {
    while (!stop_) {
      pollfd events{listener_.get(), POLLIN, 0};
      if (::poll(&events, 1, 10) <= 0) continue;
      Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (client.open()) talks_.emplace_back([this, own = std::move(client)] { serve(own.get()); });
    }
  }

  // One connection may bring several requests.
  void serve(int socket) {
    std::string bytes;
    while (read_request(socket, bytes)) {
      const int now = ++under_way_;
      for (int most = most_; now > most && !most_.compare_exchange_weak(most, now);) {
      }
      std::size_t number;
      {
        const std::lock_guard lock(mutex_);
        number = seen_.size() - 1;
      }
      script_[std::min(number, script_.size() - 1)](Talk(socket, stop_));
      --under_way_;
    }
  }

  bool read_request(int socket, std::string& bytes) {
    for (;;) {
      if (const std::size_t end = bytes.find("\r\n\r\n"); end != std::string::npos) {
        const std::string head = bytes.substr(0, end + 4);
        const std::size_t at = to_lower(head).find("content-length:");
        const std::size_t size =
            at == std::string::npos ? 0 : std::strtoul(head.c_str() + at + 15, nullptr, 10);
        if (bytes.size() >= head.size() + size) {
          const std::lock_guard lock(mutex_);
          seen_.push_back({head, bytes.substr(head.size(), size)});
          bytes.erase(0, head.size() + size);
          return true;
        }
      }
      pollfd events{socket, POLLIN, 0};
      if (stop_) return false;
      if (::poll(&events, 1, 10) <= 0) continue;
      char buffer[65536];
      const ssize_t got = ::recv(socket, buffer, sizeof buffer, 0);
      if (got <= 0) return false;
      bytes.append(buffer, static_cast<std::size_t>(got));
    }
  }

  std::vector<Step> script_;
  Fd listener_;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<int> under_way_{0}, most_{0};
  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
  std::thread acceptor_;
  std::vector<std::thread> talks_;
};

}  // namespace kgb::llm
