// SPDX-License-Identifier: Apache-2.0
// Locked children: started, watched by deadline, memory and output, and ended with all that they started.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "sandbox/cgroup.hpp"
#include "sandbox/lock.hpp"

namespace kgb::sandbox {

enum class End {
  exited,         // by itself; `code` is its exit code
  signalled,      // by a signal of its own doing; `code` is the signal
  timeout,        // killed: wall-clock deadline, or the processor-time limit
  out_of_memory,  // killed for memory by the control group or the watchdog
  output_flood,   // killed: wrote more than Limits::flood_bytes, or files of more than
                  // LockSpec::workspace_bytes
};
[[nodiscard]] std::string_view name_of(End end);

struct Limits {
  Millis wall{10'000};
  std::size_t keep_stdout = std::size_t{64} << 10;  // bytes kept; the rest is read and thrown away
  std::size_t keep_stderr = std::size_t{64} << 10;
  std::size_t keep_result = std::size_t{64} << 20;     // of the result channel, where there is one
  std::uint64_t flood_bytes = std::uint64_t{1} << 30;  // over all channels, then the child is killed
  const std::atomic<bool>* stop = nullptr;             // set: nobody wants the child any more, it is killed
};

// What a child wrote into one channel.
struct Channel {
  Fd fd;                    // our end, to read
  std::size_t keep = 0;     // bytes kept
  std::string bytes;        // the first `keep`
  std::uint64_t total = 0;  // all bytes that came
  [[nodiscard]] bool cut() const { return total > bytes.size(); }
};

struct Finished {
  End end = End::exited;
  int code = 0;
  double wall_ms = 0;
  double cpu_seconds = 0;        // of the child itself, without its descendants
  std::uint64_t peak_bytes = 0;  // of the group where there is one, else of the child itself
  [[nodiscard]] bool clean() const { return end == End::exited && code == 0; }
  // "exited with code 3", "died of signal 11 (Segmentation fault)", "ran longer than 10.0 s", ...
  [[nodiscard]] std::string describe() const;
};

// A running child. Killed, with its descendants, when the object goes before it was waited for. One thread
// may wait while others kill.
class Child {
 public:
  // `warden`: the process is not the child itself but its warden (sandbox/warden.hpp).
  Child(pid_t pid, Fd pidfd, std::optional<Cgroup> group, LockSpec lock, bool warden = false);
  Child(Child&&) noexcept = default;
  Child& operator=(Child&&) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] int pidfd() const { return pidfd_.get(); }
  [[nodiscard]] bool running() const;  // and not yet reaped
  void kill() const;                   // the whole tree; does not wait

  // Reads the channels until the child has ended, kills it where a limit says so, and reaps it. Never waits
  // for the end of a channel: a descendant may hold it open. An error is the host's: the child could not be
  // killed.
  [[nodiscard]] Result<Finished> wait(const Limits& limits, std::span<Channel* const> channels = {});

 private:
  pid_t pid_ = -1;
  Fd pidfd_;
  std::optional<Cgroup> group_;
  LockSpec lock_;
  bool warden_ = false;
  // Asked by kill() and running() of other threads than the one that waits; at a fixed place, since a Child
  // moves.
  std::unique_ptr<std::atomic<bool>> reaped_ = std::make_unique<std::atomic<bool>>(false);
};

// What to run. The child gets standard input from /dev/null, its own pipes as output and error, `pass` as
// descriptors 3, 4, ... in order, and no other.
struct Command {
  std::vector<std::string> argv;         // argv[0] is a path, or a name to look up in our PATH
  std::vector<std::string> environment;  // "NAME=value", all of it: nothing is inherited
  std::string cwd = "/";
  std::vector<int> pass;
  std::optional<LockSpec> lock;  // namespaces are chosen here; none: runs as we do
  bool own_session = true;       // not reached by the terminal's signals
};

struct Started {
  Child child;
  Channel out, err;
  Fd listener;  // where the lock has a port: accepts what connects to it in there
};
// An error tells why the child could not be started, the failing step of its lock or exec included.
[[nodiscard]] Result<Started> start(const Command& command, const Limits& limits = {});
// Without exec: the child runs `body` in a copy of our memory, under the lock, and ends with the code it
// returns. Only for callers with one thread. The lock is needed; its namespaces are chosen here.
[[nodiscard]] Result<Started> start_forked(const LockSpec& lock, const std::function<int()>& body,
                                           const std::string& cwd = "/", const Limits& limits = {});

struct Output {
  Finished finished;
  std::string out, err;
  bool out_cut = false, err_cut = false;
};
// Starts, waits, and hands over what was written.
[[nodiscard]] Result<Output> run(const Command& command, const Limits& limits = {});

}  // namespace kgb::sandbox
