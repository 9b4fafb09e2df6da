// SPDX-License-Identifier: Apache-2.0
// Stand-in for a pid namespace: a process that outlives a child and hunts what the child leaves behind.
#include "sandbox/warden.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>

namespace kgb::sandbox {
namespace {

struct Ending {
  bool known = false;
  int status = 0;
};

// Kills every child of this process that /proc shows. False when there is none.
bool kill_children() noexcept {
  const int fd = ::open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  std::array<char, 4096> text;
  bool any = false;
  pid_t pid = 0;
  // A number that is split between two reads is put together again.
  for (ssize_t size = ::read(fd, text.data(), text.size()); size > 0;
       size = ::read(fd, text.data(), text.size())) {
    for (ssize_t i = 0; i < size; ++i) {
      const char c = text[static_cast<std::size_t>(i)];
      if (c >= '0' && c <= '9') {
        pid = pid * 10 + (c - '0');
      } else if (pid > 1) {
        ::kill(pid, SIGKILL);
        any = true;
        pid = 0;
      }
    }
  }
  ::close(fd);
  return any;
}

// Reaps what has ended, noting how `child` did. False when there are no children left.
bool reap(pid_t child, Ending& ending) noexcept {
  while (true) {
    int status = 0;
    const pid_t pid = ::waitpid(-1, &status, WNOHANG | __WALL);
    if (pid == 0) return true;
    if (pid < 0) return errno != ECHILD;
    if (pid == child) ending = {true, status};
  }
}

[[noreturn]] void follow(const Ending& ending) noexcept {
  if (!ending.known || !WIFSIGNALED(ending.status)) ::_exit(ending.known ? WEXITSTATUS(ending.status) : 1);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, WTERMSIG(ending.status));
  ::signal(WTERMSIG(ending.status), SIG_DFL);
  ::kill(::getpid(), WTERMSIG(ending.status));
  ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
  ::_exit(128 + WTERMSIG(ending.status));  // a signal that does not kill, as from a stopped child
}

[[noreturn]] void watch(pid_t child, const sigset_t& awaited) noexcept {
  Ending ending;
  // The child ends, or kgbench asks.
  while (!ending.known) {
    const int signal = ::sigwaitinfo(&awaited, nullptr);
    if (signal == kWardenStop) break;
    reap(child, ending);
  }
  // What a killed process leaves behind becomes ours in turn: until there is nothing left.
  const timespec pause{0, 1'000'000};
  do {
    kill_children();
    ::nanosleep(&pause, nullptr);
  } while (reap(child, ending));
  follow(ending);
}

}  // namespace

void enter_warden(void (*give_up)(const void* context, int code), const void* context) noexcept {
  sigset_t awaited, before;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, kWardenStop);
  ::sigprocmask(SIG_BLOCK, &awaited, &before);
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0) give_up(context, errno);
  // The raw call: libc's fork runs handlers that belong to the process we were cloned from.
  const auto child = static_cast<pid_t>(::syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
  if (child < 0) give_up(context, errno);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return;
  }
  // The child holds the pipes; whoever waits for their end must not wait for us.
  ::syscall(SYS_close_range, 0U, ~0U, 0U);
  watch(child, awaited);
}

}  // namespace kgb::sandbox
