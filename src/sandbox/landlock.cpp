// SPDX-License-Identifier: Apache-2.0
// Landlock by raw system calls (the headers of older distributions lack the newer rights).
#include "sandbox/landlock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/text.hpp"

namespace kgb::sandbox {
namespace {

#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

// Rights by the kernel's numbers: linux/landlock.h.
enum Right : std::uint64_t {
  kExecute = 1u << 0,
  kWriteFile = 1u << 1,
  kReadFile = 1u << 2,
  kReadDir = 1u << 3,
  kRemoveDir = 1u << 4,
  kRemoveFile = 1u << 5,
  kMakeChar = 1u << 6,
  kMakeDir = 1u << 7,
  kMakeReg = 1u << 8,
  kMakeSock = 1u << 9,
  kMakeFifo = 1u << 10,
  kMakeBlock = 1u << 11,
  kMakeSym = 1u << 12,
  kRefer = 1u << 13,     // version 2: renaming and linking across folders
  kTruncate = 1u << 14,  // version 3
  kIoctlDev = 1u << 15,  // version 5
};
constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;
constexpr std::uint64_t kTcp = 3;       // version 4: bind, connect
constexpr std::uint64_t kScoped = 3;    // version 6: abstract unix sockets, signals
constexpr unsigned kCreateVersion = 1;  // flag of landlock_create_ruleset
constexpr unsigned kPathBeneath = 1;    // type of rule

struct RulesetAttr {
  std::uint64_t fs, net, scoped;
};
struct __attribute__((packed)) PathBeneathAttr {
  std::uint64_t allowed;
  std::int32_t parent;
};

std::uint64_t all_rights(int abi) {
  std::uint64_t rights = (kMakeSym << 1) - 1;
  if (abi >= 2) rights |= kRefer;
  if (abi >= 3) rights |= kTruncate;
  if (abi >= 5) rights |= kIoctlDev;
  return rights;
}

int add_rule(int ruleset, int parent, std::uint64_t rights) noexcept {
  const PathBeneathAttr attr{rights, parent};
  return ::syscall(SYS_landlock_add_rule, ruleset, kPathBeneath, &attr, 0) == 0 ? 0 : errno;
}

Status allow(int ruleset, const std::string& path, std::uint64_t rights, bool required) {
  const Fd fd(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (!fd.open()) {
    if (!required && (errno == ENOENT || errno == EACCES || errno == ENOTDIR)) return ok_status();
    return errno_error("cannot open " + in_quotes(path) + " for the lock");
  }
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return errno_error("cannot look at " + in_quotes(path));
  if (!S_ISDIR(info.st_mode)) rights &= kFileRights;
  if (rights == 0) return ok_status();
  errno = add_rule(ruleset, fd.get(), rights);
  if (errno != 0) return errno_error("Landlock does not take a rule for " + in_quotes(path));
  return ok_status();
}

}  // namespace

int landlock_abi() noexcept {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kCreateVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

Result<Fd> make_landlock(const LandlockPaths& paths, bool network) {
  const int abi = landlock_abi();
  const std::uint64_t all = all_rights(abi);
  RulesetAttr attr{all, 0, 0};
  std::size_t size = sizeof attr.fs;
  if (abi >= 4) size = offsetof(RulesetAttr, scoped);
  if (abi >= 4 && !network) attr.net = kTcp;
  if (abi >= 6) {
    size = sizeof attr;
    attr.scoped = kScoped;
  }
  Fd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attr, size, 0)));
  if (!ruleset.open()) return errno_error("cannot make a Landlock rule set");

  const std::uint64_t read = kReadFile | kReadDir;
  const std::uint64_t write = all & ~(kExecute | kMakeChar | kMakeBlock | kMakeSock | kMakeFifo | kIoctlDev);
  for (const std::string& path : paths.read) KGB_CHECK(allow(ruleset.get(), path, read, false));
  for (const std::string& path : paths.list) KGB_CHECK(allow(ruleset.get(), path, kReadDir, false));
  for (const std::string& path : paths.execute) KGB_CHECK(allow(ruleset.get(), path, read | kExecute, false));
  for (const std::string& path : paths.devices)
    KGB_CHECK(allow(ruleset.get(), path, kReadFile | kWriteFile, false));
  const std::uint64_t drive = (kReadFile | kWriteFile | kIoctlDev) & all;
  for (const std::string& path : paths.drivers) KGB_CHECK(allow(ruleset.get(), path, drive, false));
  for (const std::string& path : paths.write) KGB_CHECK(allow(ruleset.get(), path, write, true));
  return ruleset;
}

int landlock_allow_proc_self(int ruleset, bool writable) noexcept {
  const int fd = ::open("/proc/self", O_PATH | O_CLOEXEC | O_DIRECTORY);
  if (fd < 0) return errno;
  const std::uint64_t write = landlock_abi() >= 3 ? kWriteFile | kTruncate : kWriteFile;
  const int code = add_rule(ruleset, fd, kReadFile | kReadDir | (writable ? write : 0));
  ::close(fd);
  return code;
}

int landlock_restrict(int ruleset) noexcept {
  return ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0 ? 0 : errno;
}

}  // namespace kgb::sandbox
