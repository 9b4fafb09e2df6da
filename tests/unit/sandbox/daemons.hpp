// SPDX-License-Identifier: Apache-2.0
// Processes that mean to outlive what started them, and how to see whether one of them lives still.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

#include "base/fd.hpp"
#include "scene.hpp"

namespace kgb::sandbox {

// Starts three daemons that left the session, ignore signals, hold our pipes, and a shared lock on a file for
// as long as they live: `life` at most. 0, or errno.
inline int start_daemons(const Scene& scene, std::chrono::seconds life) {
  for (int i = 0; i < 3; ++i) {
    const pid_t pid = ::fork();
    if (pid < 0) return errno;
    if (pid > 0) {
      ::waitpid(pid, nullptr, 0);
      continue;
    }
    ::setsid();
    const int own = ::open((scene.workspace + "/alive").c_str(), O_CREAT | O_RDWR, 0666);
    if (own < 0 || ::flock(own, LOCK_SH) != 0) ::_exit(1);
    if (::fork() != 0) ::_exit(0);  // the grandchild inherits the lock
    for (int number = 1; number < 32; ++number) ::signal(number, SIG_IGN);
    for (auto tenth = life * 10; tenth.count() > 0; --tenth) ::usleep(100'000);
    ::_exit(0);
  }
  return 0;
}

inline bool nobody_holds(const Scene& scene) {
  const Fd file(::open((scene.workspace + "/alive").c_str(), O_RDONLY | O_CLOEXEC));
  return file.open() && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

}  // namespace kgb::sandbox
