// SPDX-License-Identifier: Apache-2.0
// Control groups, version 1 and 2: a cap on memory and on processes for one child and all that it starts.
#include "sandbox/cgroup.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <thread>
#include <utility>

#include "base/files.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace kgb::sandbox {
namespace fs = std::filesystem;
namespace {

Status write_value(const fs::path& file, const std::string& value) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.open() || ::write(fd.get(), value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    return errno_error("cannot set " + in_quotes(file.native()) + " to " + value);
  }
  return ok_status();
}

// The number after `key` in a file of "key number" lines; 0 when it is not there.
std::uint64_t field(const fs::path& file, std::string_view key) {
  const auto text = read_pseudo_file(file);
  if (!text.ok()) return 0;
  for (const std::string& line : split_lines(text.value())) {
    if (line.starts_with(key) && line.size() > key.size() && line[key.size()] == ' ') {
      return static_cast<std::uint64_t>(parse_int(trim(line.substr(key.size()))).value_or(0));
    }
  }
  return 0;
}

std::uint64_t number(const fs::path& file) {
  const auto text = read_pseudo_file(file);
  return text.ok() ? static_cast<std::uint64_t>(parse_int(trim(text.value())).value_or(0)) : 0;
}

}  // namespace

Status Cgroup::add(const fs::path& parent, const std::string& name, bool v2) {
  Group group{parent / name, {}, v2, false};
  if (::mkdir(group.folder.c_str(), 0755) != 0) {
    return errno_error("cannot make the control group " + in_quotes(group.folder.native()));
  }
  // From here on the destructor removes the folder.
  groups_.push_back(std::move(group));
  Group& made = groups_.back();
  made.procs = Fd(::open((made.folder / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
  if (!made.procs.open())
    return errno_error("cannot open " + in_quotes((made.folder / "cgroup.procs").native()));
  return ok_status();
}

Result<std::optional<Cgroup>> Cgroup::make(const CgroupPlaces& places, std::uint64_t memory_bytes,
                                           unsigned processes) {
  static std::atomic<unsigned> counter{0};
  const std::string name = "kgbench-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
  const std::string memory = std::to_string(memory_bytes);
  const std::string pids = std::to_string(processes);
  Cgroup group;
  if (!places.v1_memory.empty()) {
    KGB_CHECK(group.add(places.v1_memory, name, false));
    Group& made = group.groups_.back();
    KGB_CHECK(write_value(made.folder / "memory.limit_in_bytes", memory));
    // Only where the kernel accounts for swap is there such a file; it must not be below the first limit.
    std::error_code code;
    if (fs::exists(made.folder / "memory.memsw.limit_in_bytes", code)) {
      KGB_CHECK(write_value(made.folder / "memory.memsw.limit_in_bytes", memory));
    }
    made.memory = group.memory_ = true;
  }
  if (!places.v1_pids.empty() && places.v1_pids != places.v1_memory) {
    KGB_CHECK(group.add(places.v1_pids, name, false));
    KGB_CHECK(write_value(group.groups_.back().folder / "pids.max", pids));
    group.pids_ = true;
  }
  // Also without controllers: cgroup.kill is the surest way to kill a tree.
  if (!places.v2.empty()) {
    KGB_CHECK(group.add(places.v2, name, true));
    Group& made = group.groups_.back();
    if (places.v2_memory) {
      KGB_CHECK(write_value(made.folder / "memory.max", memory));
      if (const Status swap = write_value(made.folder / "memory.swap.max", "0"); !swap.ok()) {
        log::debug(swap.error().message);  // a kernel without swap accounting has no such file
      }
      made.memory = group.memory_ = true;
    }
    if (places.v2_pids) {
      KGB_CHECK(write_value(made.folder / "pids.max", pids));
      group.pids_ = true;
    }
  }
  if (group.groups_.empty()) return std::optional<Cgroup>();
  return std::optional<Cgroup>(std::move(group));
}

std::vector<int> Cgroup::join_fds() const {
  std::vector<int> fds;
  for (const Group& group : groups_) fds.push_back(group.procs.get());
  return fds;
}

bool Cgroup::out_of_memory() const {
  for (const Group& group : groups_) {
    if (!group.memory) continue;
    if (field(group.folder / (group.v2 ? "memory.events" : "memory.oom_control"), "oom_kill") > 0)
      return true;
  }
  return false;
}

std::uint64_t Cgroup::peak_bytes() const {
  for (const Group& group : groups_) {
    if (group.memory) return number(group.folder / (group.v2 ? "memory.peak" : "memory.max_usage_in_bytes"));
  }
  return 0;
}

void Cgroup::kill_all() const {
  const Deadline deadline(Millis(1000));
  for (const Group& group : groups_) {
    if (group.v2) static_cast<void>(write_value(group.folder / "cgroup.kill", "1"));
    // Version 1 has no such file: signal the members until no new ones appear.
    while (!deadline.passed()) {
      const auto members = read_pseudo_file(group.folder / "cgroup.procs");
      if (!members.ok() || trim(members.value()).empty()) break;
      for (const std::string& line : split_lines(members.value())) {
        if (const auto pid = parse_int(line); pid && *pid > 1) ::kill(static_cast<pid_t>(*pid), SIGKILL);
      }
      std::this_thread::sleep_for(Millis(1));
    }
  }
}

Cgroup& Cgroup::operator=(Cgroup&& other) noexcept {
  std::swap(groups_, other.groups_);
  std::swap(memory_, other.memory_);
  std::swap(pids_, other.pids_);
  return *this;
}

Cgroup::~Cgroup() {
  for (Group& group : groups_) {
    group.procs.reset();
    // A group stays busy for a moment after its last process is reaped.
    const Deadline deadline(Millis(500));
    while (::rmdir(group.folder.c_str()) != 0) {
      if (errno != EBUSY || deadline.passed()) {
        log::warning("cannot remove the control group " + group.folder.native());
        break;
      }
      if (const auto left = read_pseudo_file(group.folder / "cgroup.procs");
          left.ok() && !left.value().empty()) {
        kill_all();
      }
      std::this_thread::sleep_for(Millis(1));
    }
  }
}

}  // namespace kgb::sandbox
