// SPDX-License-Identifier: Apache-2.0
// New processes in new namespaces: clone3 with a pidfd, and what this host allows of it.
#include "sandbox/namespaces.hpp"

#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <string_view>

namespace kgb::sandbox {
namespace {

// Decimal digits of `value` without allocation; returns the length.
std::size_t digits(std::uint64_t value, char* out) noexcept {
  std::array<char, 20> reversed{};
  std::size_t count = 0;
  do {
    reversed[count++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value > 0);
  for (std::size_t i = 0; i < count; ++i) out[i] = reversed[count - 1 - i];
  return count;
}

int write_proc(const char* path, const char* text, std::size_t size) noexcept {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return errno;
  const ssize_t written = ::write(fd, text, size);
  const int code = written == static_cast<ssize_t>(size) ? 0 : errno;
  ::close(fd);
  return code;
}

int write_map(const char* path, std::uint64_t id) noexcept {
  std::array<char, 64> line{};
  std::size_t length = digits(id, line.data());
  line[length++] = ' ';
  length += digits(id, line.data() + length);
  std::memcpy(line.data() + length, " 1\n", 3);
  return write_proc(path, line.data(), length + 3);
}

// Maps the ids that we had outside to themselves, in a new user namespace.
int map_own_ids(uid_t uid, gid_t gid) noexcept {
  // The files belong to root while the process is non-dumpable.
  ::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
  int code = write_proc("/proc/self/setgroups", "deny", 4);
  if (code == 0 || code == ENOENT) code = write_map("/proc/self/uid_map", uid);
  if (code == 0) code = write_map("/proc/self/gid_map", gid);
  return code;
}

bool can_make(Namespaces namespaces) {
  const Cloned child = clone_process(namespaces);
  // A host may let a user namespace be made and then refuse to map it: such a namespace is of no use.
  if (child.pid == 0) ::_exit(child.map_error != 0 ? 1 : 0);
  if (child.pid < 0) return false;
  const Fd pidfd(child.pidfd);
  const auto ended = wait_pidfd(pidfd.get(), Deadline(Millis(10'000)));
  return ended.ok() && ended.value() && !ended.value()->signalled && ended.value()->code == 0;
}

}  // namespace

std::string describe(Namespaces namespaces) {
  static constexpr std::array<std::string_view, 4> kNames{"user", "pid", "net", "ipc"};
  std::string out;
  for (unsigned i = 0; i < kNames.size(); ++i) {
    if ((namespaces >> i & 1) == 0) continue;
    if (!out.empty()) out += '+';
    out += kNames[i];
  }
  return out.empty() ? "none" : out;
}

Cloned clone_process(Namespaces namespaces, Parent parent) noexcept {
  Cloned cloned;
  clone_args args{};
  args.flags = CLONE_PIDFD;
  if ((namespaces & kUserNs) != 0) args.flags |= CLONE_NEWUSER;
  if ((namespaces & kPidNs) != 0) args.flags |= CLONE_NEWPID;
  if ((namespaces & kNetNs) != 0) args.flags |= CLONE_NEWNET;
  if ((namespaces & kIpcNs) != 0) args.flags |= CLONE_NEWIPC;
  args.pidfd = reinterpret_cast<std::uint64_t>(&cloned.pidfd);
  if (parent == Parent::of_caller) {
    args.flags |= CLONE_PARENT;  // the exit signal is then that of the caller itself
  } else {
    args.exit_signal = SIGCHLD;
  }
  const uid_t uid = ::geteuid();  // unknown in there until it is mapped
  const gid_t gid = ::getegid();
  cloned.pid = static_cast<pid_t>(::syscall(SYS_clone3, &args, sizeof args));
  if (cloned.pid == 0 && (namespaces & kUserNs) != 0) cloned.map_error = map_own_ids(uid, gid);
  return cloned;
}

Namespaces usable_namespaces() {
  static std::mutex mutex;
  static std::map<uid_t, Namespaces> known;  // by user: a process may give up being root
  const std::lock_guard hold(mutex);
  const auto found = known.find(::geteuid());
  if (found != known.end()) return found->second;
  // With a user namespace when we are no administrator: without one the others are refused.
  const Namespaces extra = ::geteuid() == 0 ? 0 : kUserNs;
  Namespaces usable = 0;
  for (const Namespaces wanted : {kPidNs | kNetNs | kIpcNs, kPidNs | kNetNs, kPidNs, kNetNs}) {
    if (!can_make(wanted | extra)) continue;
    usable = wanted | extra;
    break;
  }
  return known[::geteuid()] = usable;
}

}  // namespace kgb::sandbox
