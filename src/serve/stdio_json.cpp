// SPDX-License-Identifier: Apache-2.0
// Lines from one descriptor, lines to another.
#include "serve/stdio.hpp"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <mutex>

#include "base/fd.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace kgb::serve {
namespace {

constexpr Millis kLookStep{500};  // how long a reader that went away stays unnoticed

// Whole lines, whoever writes them.
class LineOutlet : public Outlet {
 public:
  explicit LineOutlet(int fd) : fd_(fd) {}
  void send(const nlohmann::json& message) override {
    const std::string line = line_of(message) + '\n';
    const std::lock_guard lock(mutex_);
    if (failed_) return;
    const Status written = write_all(fd_, std::as_bytes(std::span(line)), "the client");
    if (written.ok()) return;
    log::warning(written.error().message);
    failed_ = true;
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  int fd_;
  std::mutex mutex_;
  std::atomic<bool> failed_{false};
};

// Cuts a stream of bytes into lines. A line that is too long is thrown away as it comes.
class Lines {
 public:
  // Calls `line` with each whole line, `flood` at the end of one that was too long.
  template <typename Line, typename Flood>
  void take(std::string_view bytes, Line line, Flood flood) {
    while (!bytes.empty()) {
      const std::size_t end = bytes.find('\n');
      const std::string_view part = bytes.substr(0, end);
      lost_ = lost_ || held_.size() + part.size() > kMaxMessage;
      if (lost_)
        held_ = std::string();
      else
        held_.append(part);
      if (end == std::string_view::npos) return;
      if (lost_)
        flood();
      else
        line(held_);
      held_.clear();
      lost_ = false;
      bytes.remove_prefix(end + 1);
    }
  }

 private:
  std::string held_;
  bool lost_ = false;
};

}  // namespace

Status serve_lines(Server& server, int in, int out) {
  const auto session = std::make_shared<Session>();
  const auto outlet = std::make_shared<LineOutlet>(out);
  const auto line = [&](std::string_view text) {
    if (!trim(text).empty()) server.receive(session, text, outlet);
  };
  const auto flood = [&] {
    const Refused refused = too_long();
    outlet->send(answer_of(refused.id, refused.error));
  };
  Lines lines;
  std::array<char, 65536> chunk;
  Status done = ok_status();
  while (!outlet->failed()) {
    const Result<bool> ready = wait_for(in, POLLIN, Deadline(kLookStep));
    if (!ready.ok()) {
      done = ready.error();
      break;
    }
    if (!*ready) continue;
    const ssize_t got = ::read(in, chunk.data(), chunk.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) {
      done = errno_error("cannot read the client's messages");
      break;
    }
    if (got == 0) {
      lines.take("\n", line, flood);
      break;
    }
    lines.take(std::string_view(chunk.data(), static_cast<std::size_t>(got)), line, flood);
  }
  session->hang_up();
  return done;
}

}  // namespace kgb::serve
