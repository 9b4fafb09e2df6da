// SPDX-License-Identifier: Apache-2.0
// New processes in new namespaces: clone3 with a pidfd, and what this host allows of it.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.hpp"

namespace kgb::sandbox {

// A set of namespaces; the values are private to kgbench and travel to the zygote as a number.
using Namespaces = unsigned;
inline constexpr Namespaces kUserNs = 1, kPidNs = 2, kNetNs = 4, kIpcNs = 8;
[[nodiscard]] std::string describe(Namespaces namespaces);  // "user+pid+net+ipc", "none"

enum class Parent {
  self,       // the new process is the caller's child
  of_caller,  // it is a child of the caller's parent (CLONE_PARENT), which alone can wait for it
};

struct Cloned {
  pid_t pid = -1;     // as the caller sees it; 0 in the new process
  int pidfd = -1;     // in the caller, owned by it, close-on-exec
  int map_error = 0;  // in the new process: errno of mapping its user into its user namespace
};
// Like fork(). pid is -1 and errno set on failure. In a user namespace the new process is mapped to the
// caller's ids. The new process has only the calling thread and no at-fork handler of libc has run: a caller
// with several threads may make nothing but system calls in it.
[[nodiscard]] Cloned clone_process(Namespaces namespaces, Parent parent = Parent::self) noexcept;

// The most of pid, net and ipc namespaces that a process of ours may have here, found by making one; a user
// namespace is in the set where the others need it. 0: none. Found once for each user that we run as.
[[nodiscard]] Namespaces usable_namespaces();

}  // namespace kgb::sandbox
