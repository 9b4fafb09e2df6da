// SPDX-License-Identifier: Apache-2.0
// Watches one child to its end: deadline, memory, output; kills and reaps.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/files.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "sandbox/process.hpp"
#include "sandbox/tree.hpp"
#include "sandbox/warden.hpp"

namespace kgb::sandbox {
namespace {

constexpr int kMemoryMs = 20;  // a process takes some 40 MB in that time
constexpr int kDiskMs = 100;
constexpr int kStopMs = 100;
constexpr Millis kKillPatience{10'000};

// Reads what is there without waiting. False when the channel is at its end.
bool drain(Channel& channel, std::size_t at_most) {
  std::array<char, 65536> chunk;
  while (at_most > 0) {
    const ssize_t got = ::read(channel.fd.get(), chunk.data(), std::min(chunk.size(), at_most));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    const auto size = static_cast<std::size_t>(got);
    channel.total += size;
    channel.bytes.append(chunk.data(),
                         std::min(size, channel.keep - std::min(channel.keep, channel.bytes.size())));
    at_most -= size;
  }
  return true;
}

class Watch {
 public:
  Watch(const Child& child, std::span<Channel* const> channels, const Limits& limits)
      : child_(child), channels_(channels), limits_(limits), deadline_(limits.wall) {}

  // Returns when the child has ended or must be killed; `reason` says which limit it hit. 0: not watched.
  Status until_end(std::uint64_t memory, const LockSpec& lock, std::optional<End>& reason) {
    const std::uint64_t disk = lock.workspace.empty() ? 0 : lock.workspace_bytes;
    const int step = memory > 0 ? kMemoryMs : disk > 0 ? kDiskMs : limits_.stop != nullptr ? kStopMs : 60'000;
    Deadline next_disk{Millis(kDiskMs)};
    while (true) {
      std::array<pollfd, 8> entries{};
      entries[0] = {child_.pidfd(), POLLIN, 0};
      nfds_t count = 1;
      for (const Channel* channel : channels_) {
        if (channel->fd.open() && count < entries.size()) entries[count++] = {channel->fd.get(), POLLIN, 0};
      }
      const int ready = ::poll(entries.data(), count, deadline_.poll_ms(step));
      if (ready < 0 && errno != EINTR) return errno_error("cannot wait for a child");
      read_some();
      if (ready > 0 && entries[0].revents != 0) return ok_status();
      if (flooded()) reason = End::output_flood;
      if (memory > 0 && resident_bytes(child_.pid()) > memory) reason = End::out_of_memory;
      if (disk > 0 && next_disk.passed()) {
        if (disk_bytes(lock.workspace) > disk) reason = End::output_flood;
        next_disk = Deadline(Millis(kDiskMs));
      }
      if (deadline_.passed() || (limits_.stop != nullptr && *limits_.stop)) reason = End::timeout;
      if (reason) return ok_status();
    }
  }

  // After the end: what lies in the pipes, and no more. Their capacity bounds it, so a descendant that goes
  // on writing cannot hold us.
  void read_rest() {
    for (Channel* channel : channels_) {
      if (channel->fd.open()) drain(*channel, std::size_t{2} << 20);
      channel->fd.reset();
    }
  }

 private:
  void read_some() {
    for (Channel* channel : channels_) {
      if (channel->fd.open() && !drain(*channel, std::size_t{1} << 20)) channel->fd.reset();
    }
  }
  [[nodiscard]] bool flooded() const {
    std::uint64_t total = 0;
    for (const Channel* channel : channels_) total += channel->total;
    return total > limits_.flood_bytes;
  }

  const Child& child_;
  std::span<Channel* const> channels_;
  const Limits& limits_;
  Deadline deadline_;
};

}  // namespace

std::string_view name_of(End end) {
  switch (end) {
    case End::exited:
      return "exited";
    case End::signalled:
      return "signalled";
    case End::timeout:
      return "timeout";
    case End::out_of_memory:
      return "out_of_memory";
    case End::output_flood:
      return "output_flood";
  }
  return "exited";
}

std::string Finished::describe() const {
  std::array<char, 64> seconds{};
  std::snprintf(seconds.data(), seconds.size(), "%.1f s", wall_ms / 1000);
  switch (end) {
    case End::exited:
      return "exited with code " + std::to_string(code);
    case End::signalled:
      return "died of signal " + std::to_string(code) + " (" + ::strsignal(code) + ")";
    case End::timeout:
      return std::string("was killed at its time limit after ") + seconds.data();
    case End::out_of_memory:
      return "was killed at its memory limit";
    case End::output_flood:
      return "was killed for flooding its output or its folder";
  }
  return "";
}

Child::Child(pid_t pid, Fd pidfd, std::optional<Cgroup> group, LockSpec lock, bool warden)
    : pid_(pid),
      pidfd_(std::move(pidfd)),
      group_(std::move(group)),
      lock_(std::move(lock)),
      warden_(warden) {}

Child& Child::operator=(Child&& other) noexcept {
  if (this != &other) {
    this->~Child();
    new (this) Child(std::move(other));
  }
  return *this;
}

Child::~Child() {
  if (!pidfd_.open() || *reaped_) return;
  kill();
  const auto ended = wait_pidfd(pidfd_.get(), Deadline(kKillPatience));
  if (!ended.ok() || !ended.value()) log::warning("process " + std::to_string(pid_) + " does not die");
}

bool Child::running() const {
  if (!pidfd_.open() || *reaped_) return false;
  const auto ended = wait_for(pidfd_.get(), POLLIN, Deadline(Millis(0)));
  return ended.ok() && !ended.value();
}

void Child::kill() const {
  if (!pidfd_.open() || *reaped_) return;
  // With a pid namespace this kills its first process, and the kernel kills the rest before that one can be
  // reaped. A warden must live to hunt; it is in no group of ours.
  if ((lock_.namespaces & kPidNs) == 0 && group_) group_->kill_all();
  static_cast<void>(signal_pidfd(pidfd_.get(), warden_ ? kWardenStop : SIGKILL));
}

Result<Finished> Child::wait(const Limits& limits, std::span<Channel* const> channels) {
  const Steady::time_point begin = Steady::now();
  for (Channel* channel : channels) {
    if (channel->fd.open()) KGB_CHECK(set_nonblocking(channel->fd.get(), true));
  }
  const bool watchdog = !(group_ && group_->limits_memory());
  Watch watch(*this, channels, limits);
  std::optional<End> reason;
  KGB_CHECK(watch.until_end(watchdog ? lock_.memory_bytes : 0, lock_, reason));
  if (reason) kill();
  KGB_TRY(std::optional<Exit> exit, wait_pidfd(pidfd_.get(), Deadline(kKillPatience)));
  if (!exit && warden_) {
    // It may have been stopped, or loses against a fork bomb.
    KGB_CHECK(signal_pidfd(pidfd_.get(), SIGKILL));
    KGB_TRY(exit, wait_pidfd(pidfd_.get(), Deadline(kKillPatience)));
  }
  if (!exit)
    return host_error("process " + std::to_string(pid_) + " does not die; it may hang in the kernel");
  *reaped_ = true;
  if ((lock_.namespaces & kPidNs) == 0 && group_) group_->kill_all();
  watch.read_rest();

  Finished done;
  done.wall_ms = millis_since(begin);
  done.cpu_seconds = exit->cpu_seconds;
  done.peak_bytes = group_ && group_->limits_memory() ? group_->peak_bytes() : exit->peak_rss_bytes;
  done.code = exit->code;
  done.end = reason ? *reason : exit->signalled ? End::signalled : End::exited;
  // Also when the kernel chose a descendant: whoever fails after that fails for memory.
  const bool failed = !reason && (exit->signalled || exit->code != 0);
  if (failed && group_ && group_->out_of_memory()) {
    done.end = End::out_of_memory;
  } else if (failed && exit->signalled && exit->code == SIGKILL &&
             exit->cpu_seconds + 0.5 >= lock_.cpu_seconds) {
    done.end = End::timeout;
  }
  return done;
}

}  // namespace kgb::sandbox
