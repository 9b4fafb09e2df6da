// SPDX-License-Identifier: Apache-2.0
// Finds the folders of the control-group file systems in which this process may make groups.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <map>
#include <mutex>

#include "base/files.hpp"
#include "base/text.hpp"
#include "sandbox/cgroup.hpp"

namespace kgb::sandbox {
namespace fs = std::filesystem;
namespace {

struct Mount {
  std::string root, point;
};

// Mounts of control groups by controller; version 2 under "".
std::map<std::string, Mount> cgroup_mounts(const std::string& mountinfo) {
  std::map<std::string, Mount> mounts;
  for (const std::string& line : split_lines(mountinfo)) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (fields.size() < 10 || fields.end() - dash < 4) continue;
    const Mount mount{fields[3], fields[4]};
    if (dash[1] == "cgroup2") mounts.emplace("", mount);
    if (dash[1] != "cgroup") continue;
    for (const std::string& option : split(dash[3], ',')) {
      if (option == "memory" || option == "pids") mounts.emplace(option, mount);
    }
  }
  return mounts;
}

// Our own group by controller; version 2 under "".
std::map<std::string, std::string> own_groups(const std::string& cgroup) {
  std::map<std::string, std::string> groups;
  for (const std::string& line : split_lines(cgroup)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    for (const std::string& name : split(line.substr(first + 1, second - first - 1), ',')) {
      groups[name] = line.substr(second + 1);
    }
  }
  return groups;
}

fs::path folder_of(const Mount& mount, const std::string& group) {
  // A container often sees its own group mounted as the root of the file system.
  std::string below = group;
  if (mount.root != "/" && below.starts_with(mount.root)) below.erase(0, mount.root.size());
  const fs::path folder = fs::path(mount.point) / fs::path(below).relative_path();
  std::error_code code;
  return fs::is_directory(folder, code) ? folder : fs::path(mount.point);
}

bool can_make_group(const fs::path& parent) {
  const fs::path probe = parent / ("kgbench-probe-" + std::to_string(::getpid()));
  if (::mkdir(probe.c_str(), 0755) != 0) return false;
  const bool joinable = ::access((probe / "cgroup.procs").c_str(), W_OK) == 0;
  ::rmdir(probe.c_str());
  return joinable;
}

// Removes the empty groups of programs that were killed before they could. Only old ones: a program of
// another pid namespace looks dead from here, and its newest group may be about to be joined.
void sweep(const fs::path& parent) {
  constexpr std::time_t kOld = 600;
  const auto names = list_folder(parent);
  if (!names.ok()) return;
  for (const std::string& name : names.value()) {
    const std::vector<std::string> parts = split(name, '-');
    if (parts.size() != 3 || parts[0] != "kgbench") continue;
    const auto pid = parse_int(parts[1]);
    struct stat info{};
    if (!pid || ::stat((parent / name).c_str(), &info) != 0 || std::time(nullptr) - info.st_mtime < kOld)
      continue;
    if (::kill(static_cast<pid_t>(*pid), 0) != 0 && errno == ESRCH) ::rmdir((parent / name).c_str());
  }
}

bool has_word(const fs::path& file, const std::string& word) {
  const auto text = read_pseudo_file(file);
  if (!text.ok()) return false;
  const std::vector<std::string> words = split(trim(text.value()), ' ');
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool write_word(const fs::path& file, std::string_view word) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return fd.open() && ::write(fd.get(), word.data(), word.size()) == static_cast<ssize_t>(word.size());
}

// Children of a version 2 group get a controller only when the group hands it down, and a group that hands
// down may hold no process itself (the root excepted). So when we are alone in our group we move into a leaf
// of it first.
void hand_down(const fs::path& group) {
  const fs::path control = group / "cgroup.subtree_control";
  const auto missing = [&] { return !has_word(control, "memory") || !has_word(control, "pids"); };
  if (!missing()) return;
  write_word(control, "+memory"), write_word(control, "+pids");
  if (!missing()) return;
  const auto members = read_pseudo_file(group / "cgroup.procs");
  if (!members.ok() || trim(members.value()) != std::to_string(::getpid())) return;
  const fs::path leaf = group / "kgbench-self";
  ::mkdir(leaf.c_str(), 0755);
  if (write_word(leaf / "cgroup.procs", "0")) write_word(control, "+memory"), write_word(control, "+pids");
}

}  // namespace

CgroupPlaces find_cgroup_places(const fs::path& proc_self) {
  CgroupPlaces places;
  const auto mountinfo = read_pseudo_file(proc_self / "mountinfo");
  const auto cgroup = read_pseudo_file(proc_self / "cgroup");
  if (!mountinfo.ok() || !cgroup.ok()) return places;
  const auto mounts = cgroup_mounts(mountinfo.value());
  auto groups = own_groups(cgroup.value());
  const auto place = [&](const char* controller) -> fs::path {
    const auto mount = mounts.find(controller);
    if (mount == mounts.end()) return {};
    const fs::path folder = folder_of(mount->second, groups[controller]);
    if (!can_make_group(folder)) return {};
    sweep(folder);
    return folder;
  };
  places.v1_memory = place("memory");
  places.v1_pids = place("pids");
  places.v2 = place("");
  if (!places.v2.empty()) {
    const fs::path controllers = places.v2 / "cgroup.controllers";
    if (has_word(controllers, "memory") || has_word(controllers, "pids")) hand_down(places.v2);
    places.v2_memory = has_word(places.v2 / "cgroup.subtree_control", "memory");
    places.v2_pids = has_word(places.v2 / "cgroup.subtree_control", "pids");
  }
  return places;
}

CgroupPlaces cgroup_places() {
  static std::mutex mutex;
  static std::map<uid_t, CgroupPlaces> known;  // by user: a process may give up being root
  const std::lock_guard hold(mutex);
  const auto found = known.find(::geteuid());
  if (found != known.end()) return found->second;
  return known[::geteuid()] = find_cgroup_places();
}

}  // namespace kgb::sandbox
