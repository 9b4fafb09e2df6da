// SPDX-License-Identifier: Apache-2.0
// Audit of the host: what it gives to lock candidates, each thing tried, for `kgbench doctor`.
#include "sandbox/facilities.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>

#include "base/text.hpp"
#include "sandbox/cgroup.hpp"
#include "sandbox/landlock.hpp"
#include "sandbox/lock.hpp"
#include "sandbox/namespaces.hpp"
#include "sandbox/seccomp.hpp"

namespace kgb::sandbox {
namespace {

constexpr const char* kNamespaceRemedy =
    "run as root, or let users make user namespaces (sysctl user.max_user_namespaces, "
    "kernel.unprivileged_userns_clone=1, "
    "kernel.apparmor_restrict_unprivileged_userns=0); in a container add SYS_ADMIN or a seccomp profile that "
    "allows clone3";
constexpr std::size_t kProbeMemory = std::size_t{32} << 20;

// How a probe's child ended; started is false when it could not be made.
struct Probe {
  bool started = false;
  bool signalled = false;
  int code = -1;
  [[nodiscard]] bool ok() const { return started && !signalled && code == 0; }
  [[nodiscard]] std::string why() const {
    if (!started) return "cannot be made";
    return signalled ? "died of signal " + std::to_string(code) : std::strerror(code);
  }
};

// Runs `body` in a child; it returns 0 or an errno, and makes only system calls: we may have threads.
Probe probe(Namespaces namespaces, const std::function<int()>& body) {
  const Cloned child = clone_process(namespaces);
  if (child.pid == 0) ::_exit(child.map_error != 0 ? child.map_error : body());
  if (child.pid < 0) return {};
  const Fd pidfd(child.pidfd);
  auto ended = wait_pidfd(pidfd.get(), Deadline(Millis(10'000)));
  if (ended.ok() && !ended.value()) {
    static_cast<void>(signal_pidfd(pidfd.get(), SIGKILL));
    ended = wait_pidfd(pidfd.get(), Deadline(Millis(10'000)));
  }
  if (!ended.ok() || !ended.value()) return {};
  return {true, ended.value()->signalled, ended.value()->code};
}

Facility identity() {
  const uid_t uid = ::geteuid();
  return {"user",
          true,
          false,
          uid == 0 ? "root: authors become users of their own without any right"
                   : "uid " + std::to_string(uid) + ": authors keep it, in a user namespace of their own",
          "",
          ""};
}

Facility namespaces(const char* name, Namespaces which, bool required, const char* consequence) {
  const Namespaces extra = ::geteuid() == 0 || which == kUserNs ? 0 : kUserNs;
  const Probe made = probe(which | extra, [] { return 0; });
  return {name, made.ok(), required, made.ok() ? "made" : made.why(), consequence, kNamespaceRemedy};
}

Facility landlock() {
  Facility row{
      "Landlock",
      false,
      true,
      "",
      "a candidate can read and write whatever its user may",
      "use a kernel from 5.13 on with CONFIG_SECURITY_LANDLOCK, and landlock in the lsm= boot parameter"};
  const int abi = landlock_abi();
  row.detail = abi > 0 ? "version " + std::to_string(abi) : "not in this kernel";
  if (abi == 0) return row;
  const auto rules = make_landlock({}, false);
  if (!rules.ok()) {
    row.detail = rules.error().message;
    return row;
  }
  const int fd = rules.value().get();
  const Probe refused = probe(0, [fd] {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if (const int code = landlock_restrict(fd); code != 0) return code;
    return ::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) < 0 && errno == EACCES ? 0 : EIO;
  });
  row.available = refused.ok();
  if (!refused.ok()) row.detail += ", but it does not hold: " + refused.why();
  return row;
}

Facility seccomp() {
  Facility row{"seccomp",
               false,
               true,
               "",
               "a candidate can use every system call of the kernel",
               "use a kernel with CONFIG_SECCOMP_FILTER, and a container profile that allows seccomp"};
  const auto program = make_seccomp({});
  if (!program.ok()) {
    row.detail = program.error().message;
    return row;
  }
  const Probe refused = probe(0, [&program] {
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return errno;
    if (const int code = load_seccomp(program.value()); code != 0) return code;
    return ::socket(AF_INET, SOCK_DGRAM, 0) < 0 && errno == EPERM ? 0 : EIO;
  });
  row.available = refused.ok();
  row.detail = refused.ok() ? "refuses a socket" : refused.why();
  return row;
}

Facility memory_group(const CgroupPlaces& places) {
  Facility row{"memory control group",
               false,
               false,
               "",
               "memory is watched from outside every 20 ms instead of being capped by the kernel",
               "run as root with a writable cgroup file system, or under `systemd-run --user --scope -p "
               "Delegate=yes`"};
  if (!places.memory()) {
    row.detail = "no group can be made with a memory limit";
    return row;
  }
  const auto group = Cgroup::make(places, kProbeMemory, 16);
  if (!group.ok() || !group.value()) {
    row.detail = group.ok() ? "none" : group.error().message;
    return row;
  }
  const std::vector<int> join = (*group)->join_fds();
  const Probe killed = probe(0, [&join] {
    for (const int fd : join) {
      if (::write(fd, "0", 1) != 1) return errno;
    }
    void* memory =
        ::mmap(nullptr, 4 * kProbeMemory, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return errno;
    std::memset(memory, 1, 4 * kProbeMemory);
    return EIO;  // it should not have lived
  });
  row.available = killed.signalled && killed.code == SIGKILL && (*group)->out_of_memory();
  row.detail = row.available ? std::string("version ") + (places.v1_memory.empty() ? "2" : "1") +
                                   ", killed at " + human_bytes(kProbeMemory)
                             : "the limit does not hold: " + killed.why();
  return row;
}

Facility pids_group(const CgroupPlaces& places) {
  Facility row{"pids control group",
               false,
               false,
               "",
               "the number of processes is limited per user only",
               "as for the memory control group"};
  if (!places.pids()) {
    row.detail = "no group can be made with a limit on processes";
    return row;
  }
  const auto group = Cgroup::make(places, std::uint64_t{1} << 30, 1);
  if (!group.ok() || !group.value()) {
    row.detail = group.ok() ? "none" : group.error().message;
    return row;
  }
  const std::vector<int> join = (*group)->join_fds();
  const Probe refused = probe(0, [&join] {
    for (const int fd : join) {
      if (::write(fd, "0", 1) != 1) return errno;
    }
    const Cloned second = clone_process(0);
    if (second.pid == 0) ::_exit(0);
    return second.pid < 0 && errno == EAGAIN ? 0 : EIO;
  });
  row.available = refused.ok();
  row.detail = refused.ok()
                   ? std::string("version ") + (places.v1_pids.empty() ? "2" : "1") + ", refuses a process"
                   : "the limit does not hold: " + refused.why();
  return row;
}

Facility pidfd() {
  const Probe waited = probe(0, [] { return 0; });
  return {"pidfd",
          waited.ok(),
          true,
          waited.ok() ? "waited for a process by it" : waited.why(),
          "kgbench cannot start candidates at all",
          "use a kernel from 5.10 on; in a container allow clone3, pidfd_open and pidfd_send_signal"};
}

Facility sealed_files() {
  const auto file = make_sealed_file("x");
  const bool sealed = file.ok() && ::ftruncate(file.value().get(), 0) != 0 && errno == EPERM;
  return {"sealed files",
          sealed,
          false,
          sealed ? "a sealed file cannot be changed" : "memfd seals do not hold",
          "values cannot be handed to processes without a copy",
          "use a kernel from 4.9 on"};
}

Facility whole_lock() {
  LockSpec spec;
  spec.namespaces = usable_namespaces();
  if (::geteuid() == 0) spec.uid = 65000;
  Facility row{"lock", false, true, "", "candidates run only with --allow-weak-lock", "see the rows above"};
  const auto lock = PreparedLock::make(spec);
  if (!lock.ok()) {
    row.detail = lock.error().message;
    return row;
  }
  const Probe locked = probe(spec.namespaces, [&lock] { return lock.value().apply({}).code; });
  row.available = locked.ok();
  row.detail =
      locked.ok() ? "a process locked itself, namespaces " + describe(spec.namespaces) : locked.why();
  return row;
}

}  // namespace

std::vector<Facility> probe_facilities() {
  const CgroupPlaces places = cgroup_places();
  return {
      identity(),
      pidfd(),
      namespaces("user namespace", kUserNs, ::geteuid() != 0,
                 "an ordinary user cannot make the other namespaces"),
      namespaces("pid namespace", kPidNs, true, "processes that a candidate leaves behind may survive it"),
      namespaces("network namespace", kNetNs, true, "only seccomp keeps a candidate from the network"),
      namespaces("ipc namespace", kIpcNs, false, "shared memory of System V is guarded by seccomp alone"),
      landlock(),
      seccomp(),
      memory_group(places),
      pids_group(places),
      sealed_files(),
      whole_lock(),
  };
}

}  // namespace kgb::sandbox
