// SPDX-License-Identifier: Apache-2.0
// Process trees as /proc shows them, and what they leave on the disk.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace kgb::sandbox {

// Children of a process, those of all its threads. Empty when it is gone.
[[nodiscard]] std::vector<pid_t> children_of(pid_t pid);
// Whether `pid` is `ancestor` or one of its descendants; false when it is gone, or not to be seen from here.
[[nodiscard]] bool descends_from(pid_t pid, pid_t ancestor);
// Anonymous and shared memory that a process and all its descendants hold, bytes; shared pages count once for
// each.
[[nodiscard]] std::uint64_t resident_bytes(pid_t pid);

// Disk space of all that lies in a folder, bytes, links not followed. The largest number when that cannot be
// told: the folder cannot be listed, nests absurdly deep, or holds absurdly many files.
[[nodiscard]] std::uint64_t disk_bytes(const std::string& folder);

}  // namespace kgb::sandbox
