// SPDX-License-Identifier: Apache-2.0
// Processes by pidfd: a number can be reused by the time a signal is sent, a pidfd cannot.
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "base/fd.hpp"

namespace kgb {
namespace {

constexpr int kWaitPidfd = 3;  // P_PIDFD, absent from older libc headers

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Result<Fd> open_pidfd(pid_t pid) {
  Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  if (!fd.open()) return errno_error("cannot open process " + std::to_string(pid));
  return fd;
}

Status signal_pidfd(int pidfd, int signal) {
  if (::syscall(SYS_pidfd_send_signal, pidfd, signal, nullptr, 0) != 0 && errno != ESRCH) {
    return errno_error("cannot signal a process");
  }
  return ok_status();
}

Result<std::optional<Exit>> wait_pidfd(int pidfd, const Deadline& deadline) {
  KGB_TRY(const bool ended, wait_for(pidfd, POLLIN, deadline));
  if (!ended) return std::optional<Exit>();
  siginfo_t info{};
  rusage usage{};
  // The raw call: libc's waitid() has no place for the resource usage.
  while (::syscall(SYS_waitid, kWaitPidfd, pidfd, &info, WEXITED, &usage) != 0) {
    if (errno != EINTR) return errno_error("cannot reap a process");
  }
  Exit exit;
  exit.signalled = info.si_code != CLD_EXITED;
  exit.code = info.si_status;
  exit.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  exit.peak_rss_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  return std::optional<Exit>(exit);
}

}  // namespace kgb
