// SPDX-License-Identifier: Apache-2.0
// The system-call filter: what no candidate has a use for is refused.
#pragma once

#include <string>

#include "base/result.hpp"

namespace kgb::sandbox {

enum class Network {
  none,
  listener,  // an AF_UNIX socket that listens, and nothing that connects, accepts or sends to an address
  internet,  // IPv4 and IPv6 alone: a path of the file system that is a socket is reached by no other layer
  all,
};
enum class Metadata { refused, pretended, real };  // modes, owners, times and attributes of files

struct SeccompRules {
  Network network = Network::none;
  Metadata metadata = Metadata::refused;
  bool execute = false;       // execve
  bool new_processes = true;  // fork, vfork, clone of a process (threads are always allowed)
};
// The filter as an array of BPF instructions, to be loaded with load_seccomp. Other architectures' calls
// kill.
[[nodiscard]] Result<std::string> make_seccomp(const SeccompRules& rules);
// Needs no_new_privs. Only a system call. 0, or an errno.
[[nodiscard]] int load_seccomp(const std::string& program) noexcept;

}  // namespace kgb::sandbox
