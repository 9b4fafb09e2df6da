// SPDX-License-Identifier: Apache-2.0
// Landlock by raw system calls (the headers of older distributions lack the newer rights).
#pragma once

#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace kgb::sandbox {

// Version of the kernel's Landlock; 0: none.
[[nodiscard]] int landlock_abi() noexcept;

struct LandlockPaths {
  std::vector<std::string> read;     // files and all beneath folders
  std::vector<std::string> write;    // the same, and create, change, rename, remove
  std::vector<std::string> execute;  // read and run as programs
  std::vector<std::string> list;     // entries of these folders and of all beneath, no file's bytes
  std::vector<std::string> devices;  // read and write of these files, no ioctl
  std::vector<std::string> drivers;  // the same, with ioctl
};
// A rule set that refuses every other path, TCP, signals to and abstract sockets of processes outside, as far
// as the kernel's version goes. Paths that are not there are left out, but a missing `write` path is an
// error.
[[nodiscard]] Result<Fd> make_landlock(const LandlockPaths& paths, bool network);

// In the process to be locked: adds its own /proc/self to the rule set, readable, and writable for one that
// drives a GPU: the CUDA driver gives up where it cannot name its threads there. What lies there is the
// process's own (its memory, its names), and the kernel guards the rest. Only system calls. 0, or an errno.
[[nodiscard]] int landlock_allow_proc_self(int ruleset, bool writable) noexcept;
// Puts the calling thread and all its later children under the rule set. 0, or an errno.
[[nodiscard]] int landlock_restrict(int ruleset) noexcept;

}  // namespace kgb::sandbox
