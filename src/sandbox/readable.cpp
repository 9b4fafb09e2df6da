// SPDX-License-Identifier: Apache-2.0
// Can another user read this? Asked by becoming that user.
#include "sandbox/readable.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/fd.hpp"
#include "sandbox/namespaces.hpp"

namespace kgb::sandbox {
namespace {

// Every folder on the way and the path itself: "/", "/usr", "/usr/lib".
std::vector<std::string> steps_of(const std::string& path) {
  std::vector<std::string> steps{"/"};
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    steps.push_back(path.substr(0, at));
  }
  if (path != "/") steps.push_back(path);
  return steps;
}

struct Refusal {
  int index = -1;
  int code = 0;
};

// In a process of its own: only system calls.
Refusal try_all(uid_t uid, const std::vector<const char*>& steps, const std::vector<bool>& last) noexcept {
  if (::syscall(SYS_setgroups, 0, nullptr) != 0 || ::syscall(SYS_setresgid, uid, uid, uid) != 0 ||
      ::syscall(SYS_setresuid, uid, uid, uid) != 0) {
    return {-2, errno};
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    // A folder on the way must be searchable, the end readable.
    if (::access(steps[i], last[i] ? R_OK : X_OK) != 0 && errno != ENOENT)
      return {static_cast<int>(i), errno};
  }
  return {};
}

}  // namespace

Result<std::optional<Unreadable>> first_unreadable(uid_t uid, std::span<const std::string> paths) {
  std::vector<std::string> steps, owners;
  std::vector<bool> last;
  const auto add = [&](const std::string& way, const std::string& path) {
    for (std::string& step : steps_of(way)) {
      last.push_back(step == way);
      owners.push_back(path);
      steps.push_back(std::move(step));
    }
  };
  for (const std::string& path : paths) {
    // Where links lead comes first, so that the folder that refuses is named and not the link to it.
    std::error_code unknown;
    const std::string real = std::filesystem::canonical(path, unknown).string();
    if (!unknown && real != path) add(real, path);
    add(path, path);
  }
  std::vector<const char*> names;
  for (const std::string& step : steps) names.push_back(step.c_str());
  KGB_TRY(Pipe pipe, make_pipe());
  const Cloned child = clone_process(0);
  if (child.pid == 0) {
    const Refusal refusal = try_all(uid, names, last);
    [[maybe_unused]] const ssize_t sent = ::write(pipe.write.get(), &refusal, sizeof refusal);
    ::_exit(0);
  }
  if (child.pid < 0) return errno_error("cannot start a process");
  const Fd pidfd(child.pidfd);
  pipe.write.reset();
  const auto bytes = read_exactly(pipe.read.get(), sizeof(Refusal), Deadline(Millis(20'000)), "a probe");
  if (!bytes.ok()) static_cast<void>(signal_pidfd(pidfd.get(), SIGKILL));
  static_cast<void>(wait_pidfd(pidfd.get(), Deadline(Millis(20'000))));
  if (!bytes.ok()) return bytes.error();
  Refusal refusal;
  std::memcpy(&refusal, bytes.value().data(), sizeof refusal);
  if (refusal.index == -2) {
    return host_error("cannot become user " + std::to_string(uid) + ": " + std::strerror(refusal.code));
  }
  if (refusal.index < 0) return std::optional<Unreadable>();
  const auto at = static_cast<std::size_t>(refusal.index);
  return std::optional<Unreadable>(Unreadable{owners[at], steps[at], std::strerror(refusal.code)});
}

}  // namespace kgb::sandbox
