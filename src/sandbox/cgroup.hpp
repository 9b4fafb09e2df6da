// SPDX-License-Identifier: Apache-2.0
// Control groups, version 1 and 2: a cap on memory and on processes for one child and all that it starts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace kgb::sandbox {

// Where on this host we may make groups, one folder per controller; empty: not there or not ours to use.
struct CgroupPlaces {
  std::filesystem::path v1_memory, v1_pids;
  std::filesystem::path v2;  // a folder whose children get the controllers below
  bool v2_memory = false, v2_pids = false;
  [[nodiscard]] bool memory() const { return !v1_memory.empty() || v2_memory; }
  [[nodiscard]] bool pids() const { return !v1_pids.empty() || v2_pids; }
};
// Found by making and removing a group in each place. `proc_self` holds the files mountinfo and
// cgroup of this process; tests bring their own.
[[nodiscard]] CgroupPlaces find_cgroup_places(const std::filesystem::path& proc_self = "/proc/self");
// The same, found once for each user that we run as.
[[nodiscard]] CgroupPlaces cgroup_places();

class Cgroup {
 public:
  // A new group with these caps under every place there is; nullopt: there is none. Swap is not allowed.
  [[nodiscard]] static Result<std::optional<Cgroup>> make(const CgroupPlaces& places,
                                                          std::uint64_t memory_bytes, unsigned processes);
  Cgroup(Cgroup&&) noexcept = default;
  Cgroup& operator=(Cgroup&& other) noexcept;  // exchanges the two
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup();  // removes the folders; whatever still runs in them is killed first

  [[nodiscard]] bool limits_memory() const { return memory_; }
  [[nodiscard]] bool limits_processes() const { return pids_; }
  // Open cgroup.procs files: a process that writes "0" to one joins that group.
  [[nodiscard]] std::vector<int> join_fds() const;
  [[nodiscard]] bool out_of_memory() const;        // the kernel killed a member for memory
  [[nodiscard]] std::uint64_t peak_bytes() const;  // 0: not known
  // Kills all members, repeatedly until none is left or a second has passed.
  void kill_all() const;

 private:
  struct Group {
    std::filesystem::path folder;
    Fd procs;
    bool v2 = false;
    bool memory = false;
  };
  Cgroup() = default;
  Status add(const std::filesystem::path& parent, const std::string& name, bool v2);

  std::vector<Group> groups_;
  bool memory_ = false, pids_ = false;
};

}  // namespace kgb::sandbox
