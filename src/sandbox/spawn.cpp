// SPDX-License-Identifier: Apache-2.0
// Starts locked children: everything is prepared before the clone, so that the child needs only system calls.
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "base/text.hpp"
#include "sandbox/port.hpp"
#include "sandbox/process.hpp"
#include "sandbox/warden.hpp"

namespace kgb::sandbox {
namespace {

constexpr int kHighFd = 64;  // descriptors that the child must not overwrite while it lays out 0, 1, 2, ...
constexpr std::size_t kMaxPass = 32;
constexpr Millis kStartPatience{20'000};

// What the child tells through its status pipe when it cannot start: `step` points to a literal, which has
// the same address in parent and child.
using Failure = PreparedLock::Failure;

Result<Fd> to_high(int fd) {
  Fd high(::fcntl(fd, F_DUPFD_CLOEXEC, kHighFd));
  if (!high.open()) return errno_error("cannot duplicate a descriptor");
  return high;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

Result<std::string> find_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path != nullptr ? path : "/usr/bin:/bin", ':')) {
    std::string full = (folder.empty() ? "." : folder) + "/" + name;
    if (::access(full.c_str(), X_OK) == 0) return full;
  }
  return host_error("no program " + in_quotes(name) + " in PATH; install it or give its path");
}

// All that a new child needs, on both sides.
struct Setup {
  std::optional<PreparedLock> lock;
  LockSpec spec;
  std::optional<Cgroup> group;
  std::vector<int> join;
  Fd status_read, status_write;  // the child's failure; closed without a word when all went well
  Fd out_read, err_read;
  Fd port_read, port_write;  // the socket that listens in there
  std::vector<Fd> targets;   // become 0, 1, 2, ...
};

Result<Setup> prepare(const std::optional<LockSpec>& lock, std::span<const int> pass) {
  if (pass.size() > kMaxPass) return internal_error("too many descriptors to pass");
  Setup setup;
  if (lock) {
    setup.spec = *lock;
    // The CUDA driver names its threads in /proc, which has the numbers of the namespace that mounted it.
    const Namespaces unfit = (lock->network ? kNetNs : 0) | (lock->drivers.empty() ? 0 : kPidNs);
    setup.spec.namespaces = usable_namespaces() & ~lock->avoid & ~unfit;
    KGB_TRY(setup.lock, PreparedLock::make(setup.spec));
    KGB_TRY(setup.group, Cgroup::make(cgroup_places(), setup.spec.memory_bytes, setup.spec.processes));
    if (setup.group) setup.join = setup.group->join_fds();
  } else {
    setup.spec.memory_bytes = 0;  // nothing to watch
  }
  if (setup.spec.port != 0) {
    KGB_TRY(auto ends, make_socket_pair());
    setup.port_read = std::move(ends.first);
    setup.port_write = std::move(ends.second);
  }
  KGB_TRY(Pipe status, make_pipe());
  KGB_TRY(Pipe out, make_pipe());
  KGB_TRY(Pipe err, make_pipe());
  setup.status_read = std::move(status.read);
  KGB_TRY(setup.status_write, to_high(status.write.get()));
  const Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null.open()) return errno_error("cannot open '/dev/null'");
  for (const int fd : {null.get(), out.write.get(), err.write.get()}) {
    KGB_TRY(Fd high, to_high(fd));
    setup.targets.push_back(std::move(high));
  }
  for (const int fd : pass) {
    KGB_TRY(Fd high, to_high(fd));
    setup.targets.push_back(std::move(high));
  }
  setup.out_read = std::move(out.read);
  setup.err_read = std::move(err.read);
  return setup;
}

void reset_signals() noexcept {
  // Dispositions survive exec when they are "ignore"; a mask survives always.
  for (int number = 1; number < 32; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void give_up(const Setup& setup, Failure failure) noexcept {
  [[maybe_unused]] const ssize_t sent = ::write(setup.status_write.get(), &failure, sizeof failure);
  ::_exit(127);
}

// In the child, from here to exec only system calls.
Failure enter(const Setup& setup, const Cloned& cloned, const char* cwd, bool own_session) noexcept {
  if (cloned.map_error != 0) return {"map its user", cloned.map_error};
  if (own_session) ::setsid();
  reset_signals();
  if (setup.lock && (setup.spec.namespaces & kPidNs) == 0) {
    const auto failed = [](const void* context, int code) {
      give_up(*static_cast<const Setup*>(context), {"start under its warden", code});
    };
    enter_warden(failed, &setup);
  }
  if (setup.port_write.open()) {
    if (const Failure failure = open_port(setup.spec.port, setup.port_write.get()); failure.step != nullptr)
      return failure;
  }
  if (setup.lock) {
    if (const Failure failure = setup.lock->apply(setup.join); failure.step != nullptr) return failure;
  }
  int target = 0;
  for (const Fd& fd : setup.targets) {
    if (::dup2(fd.get(), target++) < 0) return {"lay out its descriptors", errno};
  }
  if (::syscall(SYS_close_range, target, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
    return {"close other descriptors", errno};
  if (::chdir(cwd) != 0) return {"enter its working folder", errno};
  return {};
}

// In the parent: waits for the child to be on its way.
Result<Started> finish(Setup setup, const Cloned& cloned, const Limits& limits) {
  const bool warden = setup.lock && (setup.spec.namespaces & kPidNs) == 0;
  Child child(cloned.pid, Fd(cloned.pidfd), std::move(setup.group), std::move(setup.spec), warden);
  setup.status_write.reset();
  setup.targets.clear();
  setup.port_write.reset();
  Failure failure;
  std::size_t have = 0;
  const Deadline deadline(kStartPatience);
  while (have < sizeof failure) {
    KGB_TRY(const bool ready, wait_for(setup.status_read.get(), POLLIN, deadline));
    if (!ready) return host_error("a child does not start");
    const ssize_t got =
        ::read(setup.status_read.get(), reinterpret_cast<char*>(&failure) + have, sizeof failure - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("cannot read a child's status");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  if (have > 0) return to_error(failure);
  Started started{std::move(child), {}, {}, {}};
  if (setup.port_read.open()) {
    KGB_TRY(started.listener, receive_port(setup.port_read.get()));
  }
  started.out.fd = std::move(setup.out_read);
  started.out.keep = limits.keep_stdout;
  started.err.fd = std::move(setup.err_read);
  started.err.keep = limits.keep_stderr;
  return started;
}

}  // namespace

Result<Started> start(const Command& command, const Limits& limits) {
  if (command.argv.empty()) return internal_error("a command without a program");
  KGB_TRY(const std::string program, find_program(command.argv[0]));
  KGB_TRY(Setup setup, prepare(command.lock, command.pass));
  const std::vector<char*> argv = pointers(command.argv);
  const std::vector<char*> environment = pointers(command.environment);
  const Cloned cloned = clone_process(setup.spec.namespaces);
  if (cloned.pid == 0) {
    Failure failure = enter(setup, cloned, command.cwd.c_str(), command.own_session);
    if (failure.step == nullptr) {
      ::execve(program.c_str(), argv.data(), environment.data());
      failure = {"run its program", errno};
    }
    give_up(setup, failure);
  }
  if (cloned.pid < 0) return errno_error("cannot start a process");
  Result<Started> started = finish(std::move(setup), cloned, limits);
  if (!started.ok()) {
    return Error{started.error().fault, "cannot run " + in_quotes(program) + ": " + started.error().message};
  }
  return started;
}

Result<Started> start_forked(const LockSpec& lock, const std::function<int()>& body, const std::string& cwd,
                             const Limits& limits) {
  KGB_TRY(Setup setup, prepare(lock, {}));
  const Cloned cloned = clone_process(setup.spec.namespaces);
  if (cloned.pid == 0) {
    const Failure failure = enter(setup, cloned, cwd.c_str(), true);
    if (failure.step != nullptr) give_up(setup, failure);
    // No exec closes them.
    ::syscall(SYS_close_range, 3U, ~0U, 0U);
    ::_exit(body());
  }
  if (cloned.pid < 0) return errno_error("cannot start a process");
  return finish(std::move(setup), cloned, limits);
}

Result<Output> run(const Command& command, const Limits& limits) {
  KGB_TRY(Started started, start(command, limits));
  Channel* const channels[] = {&started.out, &started.err};
  KGB_TRY(const Finished finished, started.child.wait(limits, channels));
  Output output{finished, {}, {}, started.out.cut(), started.err.cut()};
  output.out = std::move(started.out.bytes);
  output.err = std::move(started.err.bytes);
  return output;
}

}  // namespace kgb::sandbox
