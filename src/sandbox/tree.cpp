// SPDX-License-Identifier: Apache-2.0
// Process trees as /proc shows them.
#include "sandbox/tree.hpp"

#include <string>
#include <string_view>

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

}  // namespace

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

std::uint64_t resident_bytes(pid_t pid) {
  // Bounded, in case the tree changes under us into something absurd.
  constexpr std::size_t kMost = 4096;
  std::vector<pid_t> pids{pid};
  std::uint64_t kib = 0;
  for (std::size_t i = 0; i < pids.size() && pids.size() < kMost; ++i) {
    if (const auto text = read_pseudo_file("/proc/" + std::to_string(pids[i]) + "/status"); text.ok()) {
      // Without file pages: the libraries of a forked interpreter are not the child's doing. Shared memory counts,
      // or it would be the way around.
      kib += field_kib(text.value(), "RssAnon:") + field_kib(text.value(), "RssShmem:");
    }
    for (const pid_t child : children_of(pids[i])) pids.push_back(child);
  }
  return kib * 1024;
}

}  // namespace kgb::sandbox
