// SPDX-License-Identifier: Apache-2.0
// The lock: all the layers that a process puts on before it runs code that nobody trusts.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "sandbox/namespaces.hpp"

namespace kgb::sandbox {

// Theory of operation.
//   1. The new process is made in its own pid, net and ipc namespaces (clone_process); killing it kills every
//      descendant, however it hid, and it has no network but an unconfigured loopback.
//   2. It joins its cgroups (memory, pids) while it may still write there.
//   3. It gives up its identity: root becomes an unprivileged uid without groups; an ordinary user in a user
//      namespace is mapped to itself. All capabilities go. It can gain no privilege by exec (no_new_privs)
//      and is not dumpable, so no other process of that uid can trace it.
//   4. Resource limits, then Landlock (files by path, signals, abstract sockets), then seccomp, which must be
//      last because it refuses some of the calls before it.
// Each layer closes attacks that the others leave open; tests/unit/sandbox/lock_test.cpp has one test per
// attack.
struct LockSpec {
  Namespaces namespaces = 0;        // those the process was made in; see usable_namespaces()
  Namespaces avoid = 0;             // not to be used even where the host has them: for tests of lesser hosts
  std::optional<uid_t> uid;         // to become, user and group; only when we are root
  std::string workspace;            // the one folder to write in; may be empty
  std::vector<std::string> read;    // files and folders to read; missing ones are left out
  std::vector<std::string> hidden;  // never read, though they lie beneath folders of `read`
  std::vector<std::string>
      execute;  // programs, and folders of programs, that may be run; none: exec is refused
  std::vector<std::string> devices{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
  // Devices that are driven by ioctl: a GPU's; missing ones are left out. Where there are any, the process
  // may also do what a GPU's driver does not start without: write to its own /proc/self, hold a socket that
  // nobody reaches, and see its threads' numbers in /proc, for which it gets a warden (sandbox/warden.hpp)
  // instead of a pid namespace.
  std::vector<std::string> drivers;
  bool network = false;
  std::uint16_t port = 0;  // not 0: internet sockets, in its own network namespace, with this one port to us
                           // (sandbox/port.hpp)
  bool metadata = false;  // chmod, chown, utime: real for a user of its own, else they do nothing and succeed
  bool new_processes = true;  // false: threads only

  std::uint64_t memory_bytes = std::uint64_t{8}
                               << 30;                 // resident, by cgroup or by the watchdog of process.hpp
  std::uint64_t data_bytes = 0;                       // RLIMIT_DATA, private memory reserved; 0: no limit
  std::uint64_t file_bytes = std::uint64_t{1} << 30;  // largest file
  std::uint64_t workspace_bytes = 0;                  // all files, watched from outside; 0: no limit
  unsigned processes = 64;                            // with threads
  unsigned open_files = 512;
  unsigned cpu_seconds = 300;  // of each process

  bool allow_weak = false;  // go on without a layer that this host lacks
};

// Which layers are on. `missing` has one line for each that is not, saying what that leaves open.
struct LockLayers {
  Namespaces namespaces = 0;
  bool identity = false;  // another uid, or a user namespace without capabilities
  int landlock = 0;       // version, 0: off
  bool seccomp = false;
  std::vector<std::string> missing;
};

// Everything of a lock that needs memory or opens files, made beforehand, so that applying it is system calls
// alone and safe in a process cloned from one with many threads.
class PreparedLock {
 public:
  // An error names the layer that this host lacks, unless
  // spec.allow_weak; a layer that is there but refuses the spec is an error always.
  [[nodiscard]] static Result<PreparedLock> make(const LockSpec& spec);

  struct Failure {
    const char* step = nullptr;  // nullptr: all went well
    int code = 0;                // errno
  };
  // In the process to be locked, once, while it has one thread. `cgroup_fds`: open cgroup.procs files to
  // join.
  [[nodiscard]] Failure apply(std::span<const int> cgroup_fds) const noexcept;
  [[nodiscard]] const LockLayers& layers() const { return layers_; }

 private:
  PreparedLock() = default;
  [[nodiscard]] Failure become_nobody() const noexcept;
  [[nodiscard]] Failure set_limits() const noexcept;

  LockSpec spec_;
  LockLayers layers_;
  Fd landlock_;
  std::string seccomp_;
};
[[nodiscard]] Error to_error(const PreparedLock::Failure& failure);

// Prepares and applies in the calling process, which must have one thread.
[[nodiscard]] Result<LockLayers> apply_lock(const LockSpec& spec, std::span<const int> cgroup_fds = {});

// For a process in another language: the spec as JSON text and back; every field is checked. What only the
// starting and watching side uses (avoid, port, workspace_bytes) does not travel.
[[nodiscard]] std::string to_json_text(const LockSpec& spec);
[[nodiscard]] Result<LockSpec> lock_from_json(std::string_view text);
[[nodiscard]] std::string to_json_text(const LockLayers& layers);

}  // namespace kgb::sandbox
