// SPDX-License-Identifier: Apache-2.0
// Process trees as /proc shows them, and what they leave on the disk.
#include "sandbox/tree.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/text.hpp"

namespace kgb::sandbox {
namespace {

std::uint64_t field_kib(const std::string& status, std::string_view name) {
  const std::size_t at = status.find(name);
  if (at == std::string::npos) return 0;
  const std::string_view rest = trim(std::string_view(status).substr(at + name.size()));
  return static_cast<std::uint64_t>(parse_int(rest.substr(0, rest.find(' '))).value_or(0));
}

constexpr std::uint64_t kUntold = std::numeric_limits<std::uint64_t>::max();
constexpr int kDeepest = 40;

// Adds what lies in the open folder. False: it cannot be told. By descriptors, since a hostile path has no
// longest.
bool add_folder(Fd folder, int depth, std::uint64_t& bytes, unsigned& entries) {
  constexpr unsigned kMost = 20'000;
  if (!folder.open() || depth > kDeepest) return false;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(folder.get()), &::closedir);
  if (listing == nullptr) return false;
  const int fd = folder.release();  // now the listing's
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (++entries > kMost) return false;
    struct stat info{};
    if (::fstatat(fd, entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;  // gone meanwhile
    bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
    if (!S_ISDIR(info.st_mode)) continue;
    Fd inner(::openat(fd, entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!inner.open() && errno == ENOENT) continue;
    if (!add_folder(std::move(inner), depth + 1, bytes, entries)) return false;
  }
  return true;
}

}  // namespace

std::uint64_t disk_bytes(const std::string& folder) {
  std::uint64_t bytes = 0;
  unsigned entries = 0;
  Fd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return add_folder(std::move(fd), 0, bytes, entries) ? bytes : kUntold;
}

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  const std::string tasks = "/proc/" + std::to_string(pid) + "/task";
  const auto threads = list_folder(tasks);
  if (!threads.ok()) return children;
  for (const std::string& thread : threads.value()) {
    const auto text = read_pseudo_file(tasks + "/" + thread + "/children");
    if (!text.ok()) continue;
    for (const std::string& word : split(text.value(), ' ')) {
      if (const auto child = parse_int(word)) children.push_back(static_cast<pid_t>(*child));
    }
  }
  return children;
}

bool descends_from(pid_t pid, pid_t ancestor) {
  constexpr int kDeepestTree = 1000;
  for (int depth = 0; depth < kDeepestTree && pid > 0; ++depth) {
    if (pid == ancestor) return true;
    const auto text = read_pseudo_file("/proc/" + std::to_string(pid) + "/status");
    if (!text.ok()) return false;
    constexpr std::string_view kParent = "\nPPid:";
    const std::size_t at = text.value().find(kParent);
    if (at == std::string::npos) return false;
    const std::string_view rest = std::string_view(text.value()).substr(at + kParent.size());
    pid = static_cast<pid_t>(parse_int(trim(first_line(rest))).value_or(0));
  }
  return false;
}

std::uint64_t resident_bytes(pid_t pid) {
  // Bounded, in case the tree changes under us into something absurd.
  constexpr std::size_t kMost = 4096;
  std::vector<pid_t> pids{pid};
  std::uint64_t kib = 0;
  for (std::size_t i = 0; i < pids.size() && pids.size() < kMost; ++i) {
    if (const auto text = read_pseudo_file("/proc/" + std::to_string(pids[i]) + "/status"); text.ok()) {
      // Without file pages: the libraries of a forked interpreter are not the child's doing. Shared memory
      // counts, or it would be the way around.
      kib += field_kib(text.value(), "RssAnon:") + field_kib(text.value(), "RssShmem:");
    }
    for (const pid_t child : children_of(pids[i])) pids.push_back(child);
  }
  return kib * 1024;
}

}  // namespace kgb::sandbox
