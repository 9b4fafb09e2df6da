// SPDX-License-Identifier: Apache-2.0
// The lock: all the layers that a process puts on before it runs code that nobody trusts.
#include "sandbox/lock.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/text.hpp"
#include "sandbox/hide.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/seccomp.hpp"

namespace kgb::sandbox {
namespace {

using Failure = PreparedLock::Failure;

std::vector<std::string> missing_layers(const LockSpec& spec, int landlock) {
  std::vector<std::string> missing;
  if ((spec.namespaces & kPidNs) == 0) {
    missing.emplace_back(
        "no pid namespace: processes that a candidate leaves behind are hunted, not sure to die");
  }
  if ((spec.namespaces & kNetNs) == 0 && !spec.network) {
    missing.emplace_back("no network namespace: only seccomp keeps a candidate from the network");
  }
  if (landlock == 0) {
    missing.emplace_back("no Landlock: a candidate reads and writes whatever its user may");
  } else if (landlock < 6) {
    missing.push_back("Landlock version " + std::to_string(landlock) +
                      " has no scopes: abstract sockets are guarded by the other layers alone");
  }
  if (!spec.uid && (spec.namespaces & kUserNs) == 0 && ::geteuid() == 0) {
    missing.emplace_back("no user to become: a candidate would run as root");
  }
  return missing;
}

// Not being able to scope signals is made good by the other layers, and a driver's process has no pid
// namespace anywhere; the rest needs the caller's consent.
bool is_weak(const LockSpec& spec, int landlock) {
  return ((spec.namespaces & kPidNs) == 0 && spec.drivers.empty()) ||
         ((spec.namespaces & kNetNs) == 0 && !spec.network) || landlock == 0 ||
         (!spec.uid && (spec.namespaces & kUserNs) == 0 && ::geteuid() == 0);
}

// Programs need the dynamic loader, which the kernel opens as a program too.
std::vector<std::string> with_loader(std::vector<std::string> execute) {
  if (execute.empty()) return execute;
  for (const char* loader : {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1"})
    execute.emplace_back(loader);
  return execute;
}

SeccompRules rules_of(const LockSpec& spec) {
  SeccompRules rules;
  // The CUDA driver does not start without a socket to pass descriptors by, though nobody uses it.
  rules.network = spec.network            ? Network::all
                  : spec.port != 0        ? Network::internet
                  : !spec.drivers.empty() ? Network::listener
                                          : Network::none;
  rules.execute = !spec.execute.empty();
  rules.new_processes = spec.new_processes;
  // By path, a process without a user of its own would reach all that its user has.
  if (spec.metadata) rules.metadata = spec.uid ? Metadata::real : Metadata::pretended;
  return rules;
}

Failure limit(decltype(RLIMIT_CORE) which, std::uint64_t value) noexcept {
  rlimit now{};
  if (::getrlimit(which, &now) != 0) return {"read a resource limit", errno};
  // Never above what we have: raising a hard limit is refused to all but root.
  const rlim_t wanted = now.rlim_max != RLIM_INFINITY && value > now.rlim_max ? now.rlim_max : value;
  const rlimit set{wanted, wanted};
  return ::setrlimit(which, &set) == 0 ? Failure{} : Failure{"set a resource limit", errno};
}

int drop_capabilities() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> none{};
  return ::syscall(SYS_capset, &header, none.data()) == 0 ? 0 : errno;
}

}  // namespace

Result<PreparedLock> PreparedLock::make(const LockSpec& spec) {
  PreparedLock lock;
  lock.spec_ = spec;
  if (::geteuid() != 0) lock.spec_.uid.reset();
  if (spec.port != 0 && (spec.namespaces & kNetNs) == 0)
    return host_error(
        "this host gives no network namespace, so a process cannot be kept to one port; run `kgbench doctor` "
        "for remedies");
  const int abi = landlock_abi();
  lock.layers_.missing = missing_layers(lock.spec_, abi);
  if (is_weak(lock.spec_, abi) && !spec.allow_weak) {
    return host_error("this host cannot lock a candidate: " + join(lock.layers_.missing, "; ") +
                      "; run `kgbench doctor` for remedies, or allow a weaker lock with --allow-weak-lock");
  }
  if (abi > 0) {
    Readable readable = read_around(spec.read, spec.hidden);
    LandlockPaths paths;
    paths.read = std::move(readable.whole);
    paths.list = std::move(readable.list);
    Readable runnable = read_around(with_loader(spec.execute), spec.hidden);  // what may be run is read, too
    paths.execute = std::move(runnable.whole);
    paths.list.insert(paths.list.end(), runnable.list.begin(), runnable.list.end());
    paths.devices = spec.devices;
    paths.drivers = spec.drivers;
    if (!spec.workspace.empty()) paths.write.push_back(spec.workspace);
    KGB_TRY(lock.landlock_, make_landlock(paths, spec.network || spec.port != 0));
    // High enough that a child laying out its standard descriptors does not overwrite it.
    Fd high(::fcntl(lock.landlock_.get(), F_DUPFD_CLOEXEC, 64));
    if (!high.open()) return errno_error("cannot duplicate a descriptor");
    lock.landlock_ = std::move(high);
  }
  KGB_TRY(lock.seccomp_, make_seccomp(rules_of(lock.spec_)));
  lock.layers_.namespaces = spec.namespaces;
  lock.layers_.identity = lock.spec_.uid.has_value() || (spec.namespaces & kUserNs) != 0;
  lock.layers_.landlock = abi;
  lock.layers_.seccomp = true;
  return lock;
}

Failure PreparedLock::become_nobody() const noexcept {
  if (spec_.uid) {
    // The raw calls: libc would ask all threads, and its table of them is the parent's.
    const uid_t id = *spec_.uid;
    if (::syscall(SYS_setgroups, 0, nullptr) != 0) return {"leave its groups", errno};
    if (::syscall(SYS_setresgid, id, id, id) != 0) return {"change its group", errno};
    if (::syscall(SYS_setresuid, id, id, id) != 0) return {"change its user", errno};
  }
  if (const int code = drop_capabilities(); code != 0) return {"drop its capabilities", code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return {"forbid new privileges", errno};
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return {"become non-dumpable", errno};
  return {};
}

Failure PreparedLock::set_limits() const noexcept {
  // Equal soft and hard limits: the first process of a pid namespace ignores SIGXCPU, but not the SIGKILL at
  // the hard limit.
  const std::pair<decltype(RLIMIT_CORE), std::uint64_t> limits[] = {
      {RLIMIT_CORE, 0},
      {RLIMIT_NOFILE, spec_.open_files},
      {RLIMIT_FSIZE, spec_.file_bytes},
      {RLIMIT_CPU, spec_.cpu_seconds},
      {RLIMIT_NPROC, spec_.processes},
      {RLIMIT_MSGQUEUE, 0},
      {RLIMIT_DATA, spec_.data_bytes},
  };
  for (const auto& [which, value] : limits) {
    if (which == RLIMIT_DATA && value == 0) continue;
    // An ordinary user without its own namespace shares the count with all the user runs: the limit would hit
    // at once.
    if (which == RLIMIT_NPROC && !layers_.identity) continue;
    if (const Failure failure = limit(which, value); failure.step != nullptr) return failure;
  }
  return {};
}

Failure PreparedLock::apply(std::span<const int> cgroup_fds) const noexcept {
  for (const int fd : cgroup_fds) {
    if (::write(fd, "0", 1) != 1) return {"join its cgroup", errno};
  }
  if (const Failure failure = become_nobody(); failure.step != nullptr) return failure;
  if (const Failure failure = set_limits(); failure.step != nullptr) return failure;
  if (landlock_.open()) {
    if (const int code = landlock_allow_proc_self(landlock_.get(), !spec_.drivers.empty()); code != 0)
      return {"allow its own /proc", code};
    if (const int code = landlock_restrict(landlock_.get()); code != 0) return {"apply Landlock", code};
  }
  if (const int code = load_seccomp(seccomp_); code != 0) return {"load its system-call filter", code};
  return {};
}

Error to_error(const PreparedLock::Failure& failure) {
  return host_error(std::string("a process could not ") +
                    (failure.step != nullptr ? failure.step : "lock itself") + ": " +
                    std::strerror(failure.code) + "; run `kgbench doctor`");
}

Result<LockLayers> apply_lock(const LockSpec& spec, std::span<const int> cgroup_fds) {
  KGB_TRY(const PreparedLock lock, PreparedLock::make(spec));
  const PreparedLock::Failure failure = lock.apply(cgroup_fds);
  if (failure.step != nullptr) return to_error(failure);
  return lock.layers();
}

}  // namespace kgb::sandbox
