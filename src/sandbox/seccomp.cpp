// SPDX-License-Identifier: Apache-2.0
// The system-call filter: what no candidate has a use for is refused.
#include "sandbox/seccomp.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <memory>

#include "base/fd.hpp"

namespace kgb::sandbox {
namespace {

// By name, since some are unknown to older libraries; such a call is then as the kernel has it.
constexpr std::initializer_list<const char*> kRefused = {
    // other processes' memory, descriptors and execution
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "pidfd_getfd",
    "pidfd_open",
    "kcmp",
    // namespaces, mounts, roots
    "unshare",
    "setns",
    "mount",
    "umount",
    "umount2",
    "pivot_root",
    "chroot",
    "move_mount",
    "open_tree",
    "fsopen",
    "fsconfig",
    "fsmount",
    "fspick",
    "mount_setattr",
    "name_to_handle_at",
    "open_by_handle_at",
    // wide or rarely audited parts of the kernel
    "bpf",
    "perf_event_open",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "add_key",
    "request_key",
    "keyctl",
    "fanotify_init",
    "lookup_dcookie",
    "vmsplice",
    "remap_file_pages",
    "modify_ldt",
    "seccomp",
    "landlock_create_ruleset",
    // the machine
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "kexec_file_load",
    "reboot",
    "swapon",
    "swapoff",
    "acct",
    "quotactl",
    "quotactl_fd",
    "syslog",
    "settimeofday",
    "clock_settime",
    "clock_adjtime",
    "adjtimex",
    "sethostname",
    "setdomainname",
    "iopl",
    "ioperm",
    "personality",
    "vhangup",
    "nfsservctl",
    // System V and POSIX queues outlive a process where there is no ipc namespace
    "msgget",
    "semget",
    "shmget",
    "mq_open",
};
constexpr std::initializer_list<const char*> kNetwork = {"socket", "bind",    "listen",
                                                         "accept", "accept4", "connect"};
constexpr std::initializer_list<const char*> kExecute = {"execve", "execveat"};
// Modes, owners, times and attributes of files: Landlock does not guard them, and compilers do without.
constexpr std::initializer_list<const char*> kMetadata = {
    "chmod",        "fchmod",       "fchmodat", "fchmodat2", "chown",     "lchown",
    "fchown",       "fchownat",     "setxattr", "lsetxattr", "fsetxattr", "removexattr",
    "lremovexattr", "fremovexattr", "utime",    "utimes",    "futimesat", "utimensat",
};
constexpr std::initializer_list<const char*> kProcesses = {"fork", "vfork"};

class Filter {
 public:
  Filter() : context_(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release) {}
  [[nodiscard]] bool made() const { return context_ != nullptr; }

  // As a tree instead of a list: every call of the candidate goes through it. Older libraries know only
  // lists.
  void sort() { seccomp_attr_set(context_.get(), SCMP_FLTATR_CTL_OPTIMIZE, 2); }
  void refuse(std::initializer_list<const char*> names, int error = EPERM) {
    for (const char* name : names) {
      const int number = seccomp_syscall_resolve_name(name);
      if (number < 0) continue;  // not on this architecture, or unknown to the library
      note(seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(static_cast<std::uint32_t>(error)), number, 0));
    }
  }
  // Refused when argument `index` has any, or none, of the bits.
  void refuse_bits(const char* name, unsigned index, std::uint64_t bits, std::uint64_t equal) {
    note(seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(name), 1,
                          scmp_arg_cmp{index, SCMP_CMP_MASKED_EQ, bits, equal}));
  }
  // All but a socket that needs a connection to be of use, which nobody here may make or take.
  void refuse_all_but_listeners() {
    refuse({"accept", "accept4", "connect"});
    const int socket = seccomp_syscall_resolve_name("socket");
    const auto refuse_socket = [&](const scmp_arg_cmp& argument) {
      note(seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(EPERM), socket, 1, argument));
    };
    constexpr std::uint64_t kTypeBits = 0xf;
    refuse_socket({0, SCMP_CMP_NE, AF_UNIX, 0});
    for (std::uint64_t type = 0; type <= kTypeBits; ++type)
      if (type != SOCK_SEQPACKET) refuse_socket({1, SCMP_CMP_MASKED_EQ, kTypeBits, type});
  }
  // All but the internet's.
  void refuse_other_families() {
    const int socket = seccomp_syscall_resolve_name("socket");
    const auto refuse = [&](scmp_compare relation, std::uint64_t family) {
      note(seccomp_rule_add(context_.get(), SCMP_ACT_ERRNO(EAFNOSUPPORT), socket, 1,
                            scmp_arg_cmp{0, relation, family, 0}));
    };
    for (std::uint64_t family = 0; family < AF_INET6; ++family)
      if (family != AF_INET) refuse(SCMP_CMP_EQ, family);
    refuse(SCMP_CMP_GT, AF_INET6);
  }
  // One end of a pair of datagram sockets can be pointed at any socket of the file system.
  void refuse_datagram_pairs() {
    for (const std::uint64_t type : {SOCK_DGRAM, SOCK_RAW}) refuse_bits("socketpair", 1, 0xf, type);
  }
  [[nodiscard]] Result<std::string> program() const {
    if (failed_ != 0) return host_error("libseccomp refused a rule (code " + std::to_string(failed_) + ")");
    const Fd file(::memfd_create("seccomp", MFD_CLOEXEC));
    if (!file.open()) return errno_error("cannot make an anonymous file");
    if (seccomp_export_bpf(context_.get(), file.get()) != 0)
      return host_error("libseccomp cannot write its filter");
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    if (size <= 0 || ::lseek(file.get(), 0, SEEK_SET) != 0) return errno_error("cannot read the filter back");
    return read_exactly(file.get(), static_cast<std::size_t>(size), Deadline(Millis(1000)), "the filter");
  }

 private:
  void note(int code) {
    if (code != 0 && failed_ == 0) failed_ = code;
  }

  std::unique_ptr<void, decltype(&seccomp_release)> context_;
  int failed_ = 0;
};

}  // namespace

Result<std::string> make_seccomp(const SeccompRules& rules) {
  Filter filter;
  if (!filter.made()) return host_error("libseccomp cannot start a filter");
  filter.sort();
  filter.refuse(kRefused);
  if (rules.network != Network::all) filter.refuse_datagram_pairs();
  if (rules.network == Network::none) filter.refuse(kNetwork);
  if (rules.network == Network::listener) filter.refuse_all_but_listeners();
  if (rules.network == Network::internet) filter.refuse_other_families();
  if (!rules.execute) filter.refuse(kExecute);
  if (rules.metadata != Metadata::real)
    filter.refuse(kMetadata, rules.metadata == Metadata::pretended ? 0 : EPERM);
  if (!rules.new_processes) {
    filter.refuse(kProcesses);
    filter.refuse_bits("clone", 0, CLONE_THREAD, 0);
  }
  // libc falls back from clone3, whose arguments a filter cannot see, to clone.
  filter.refuse({"clone3"}, ENOSYS);
  for (const std::uint64_t flag : {CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWIPC,
                                   CLONE_NEWUTS, CLONE_NEWCGROUP}) {
    filter.refuse_bits("clone", 0, flag, flag);
  }
  filter.refuse_bits("ioctl", 1, 0xffffffff, TIOCSTI);  // typing into the terminal of whoever started us
  return filter.program();
}

int load_seccomp(const std::string& program) noexcept {
  const sock_fprog filter{static_cast<unsigned short>(program.size() / sizeof(sock_filter)),
                          reinterpret_cast<sock_filter*>(const_cast<char*>(program.data()))};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

}  // namespace kgb::sandbox
