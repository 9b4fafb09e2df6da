// SPDX-License-Identifier: Apache-2.0
// Authors: one locked process per candidate, forked from a warm Python, with what came back from it.
#include "author/zygote.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "author/zygote_process.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "sandbox/readable.hpp"

namespace kgb::author {
namespace fs = std::filesystem;
namespace {

constexpr unsigned kMostAuthors = 500;  // at once; each has a user of its own
constexpr Millis kLockLimit{30'000};

// Users for authors, so that two that run at once have neither files nor process limits in common.
class Slots {
 public:
  unsigned take() {
    std::unique_lock hold(mutex_);
    freed_.wait(hold, [&] { return used_ < kMostAuthors; });
    ++used_;
    // Onward from the last one: a user rests for a while before it is used again.
    do {
      next_ = (next_ + 1) % kMostAuthors;
    } while (taken_[next_]);
    taken_[next_] = true;
    return next_;
  }
  void give_back(unsigned slot) {
    {
      const std::lock_guard hold(mutex_);
      taken_[slot] = false;
      --used_;
    }
    freed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<bool> taken_ = std::vector<bool>(kMostAuthors, false);
  unsigned used_ = 0;
  // Two programs on one host start at different users, as far as their process ids differ.
  unsigned next_ = static_cast<unsigned>(::getpid()) * 37 % kMostAuthors;
};

class Slot {
 public:
  explicit Slot(Slots& slots) : slots_(slots), number(slots.take()) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  ~Slot() { slots_.give_back(number); }

 private:
  Slots& slots_;

 public:
  const unsigned number;
};

Status give_to(const fs::path& folder, uid_t uid) {
  std::error_code code;
  std::vector<fs::path> paths{folder};
  for (fs::recursive_directory_iterator it(folder, code), end; !code && it != end; it.increment(code)) {
    paths.push_back(it->path());
  }
  if (code)
    return host_error("cannot list the workspace " + in_quotes(folder.native()) + ": " + code.message());
  for (const fs::path& path : paths) {
    if (::lchown(path.c_str(), uid, uid) != 0) {
      return errno_error("cannot give " + in_quotes(path.native()) + " to user " + std::to_string(uid));
    }
  }
  return ok_status();
}

// What any interpreter reads besides its own folders.
const std::vector<std::string>& system_paths() {
  static const std::vector<std::string> paths{"/usr",
                                              "/lib",
                                              "/lib64",
                                              "/lib32",
                                              "/etc/ld.so.cache",
                                              "/etc/ld.so.conf",
                                              "/etc/ld.so.conf.d",
                                              "/etc/localtime",
                                              "/proc/cpuinfo",
                                              "/proc/meminfo",
                                              "/proc/sys/vm/overcommit_memory",
                                              "/sys/devices/system/cpu",
                                              "/sys/devices/system/node",
                                              "/sys/kernel/mm/transparent_hugepage"};
  return paths;
}

struct Pipes {
  Pipe result, out, err, status;
  static Result<Pipes> make() {
    Pipes pipes;
    for (Pipe* pipe : {&pipes.result, &pipes.out, &pipes.err, &pipes.status}) {
      KGB_TRY(*pipe, make_pipe());
    }
    return pipes;
  }
};

// Waits until the author has put on its lock. Returns the layers' JSON.
Result<std::string> wait_for_lock(int status) {
  const Deadline deadline(kLockLimit);
  KGB_TRY(const std::string text, read_to_end(status, 65536, deadline, "an author that locks itself"));
  if (text.starts_with("locked ")) return text.substr(7);
  const std::string_view reason = text.starts_with("error ") ? std::string_view(text).substr(6) : "it died";
  return host_error("an author could not lock itself: " + to_utf8_lossy(reason));
}

Status check_readable(const ZygoteOptions& options, const Hello& hello) {
  if (::geteuid() != 0) return ok_status();
  KGB_TRY(const auto blocked, sandbox::first_unreadable(options.first_uid, hello.needed));
  if (!blocked) return ok_status();
  return host_error("authors run as user " + std::to_string(options.first_uid) + ", who cannot read " +
                    in_quotes(blocked->path) + " of the interpreter: " + in_quotes(blocked->blocker) + ": " +
                    blocked->reason +
                    "; open that folder to others (chmod o+rx), or set KGBENCH_PYTHON to an "
                    "interpreter in a place that all users can read");
}

}  // namespace

struct Zygote::State {
  explicit State(ZygoteOptions chosen) : options(std::move(chosen)) {}

  // One try to fork; a zygote that fails is put away, so that the next try starts another.
  Result<ZygoteProcess::Forked> try_fork(std::uint64_t id, const std::string& request,
                                         std::span<const int> fds) {
    if (process == nullptr) {
      KGB_TRY(process, ZygoteProcess::start(options));
      ++restarts;
    }
    auto forked = process->exchange(id, request, fds);
    if (!forked.ok()) process.reset();
    return forked;
  }

  Result<ZygoteProcess::Forked> fork(std::uint64_t id, const std::string& request, std::span<const int> fds) {
    const std::lock_guard hold(mutex);
    auto forked = try_fork(id, request, fds);
    if (forked.ok()) return forked;
    log::warning("the zygote is started again: " + forked.error().message);
    return try_fork(id, request, fds);
  }

  [[nodiscard]] sandbox::LockSpec lock_for(unsigned slot, const std::string& workspace) const {
    sandbox::LockSpec lock = options.lock;
    lock.namespaces = sandbox::usable_namespaces() & ~lock.avoid;
    if (::geteuid() == 0) lock.uid = options.first_uid + slot;
    lock.workspace = workspace;
    if (lock.workspace_bytes == 0) lock.workspace_bytes = std::uint64_t{1} << 30;
    lock.read.insert(lock.read.end(), system_paths().begin(), system_paths().end());
    lock.read.insert(lock.read.end(), interpreter.paths.begin(), interpreter.paths.end());
    // Without a pid namespace nothing surely kills what an author leaves behind, so it may leave nothing
    // behind.
    if ((lock.namespaces & sandbox::kPidNs) == 0) lock.new_processes = false;
    return lock;
  }

  const ZygoteOptions options;
  Interpreter interpreter;
  Slots slots;
  std::atomic<std::uint64_t> ids{0};
  std::atomic<int> restarts{0};
  std::mutex mutex;  // guards `process`: one exchange at a time
  std::unique_ptr<ZygoteProcess> process;
};

Zygote::Zygote(std::unique_ptr<State> state) : state_(std::move(state)) {}
Zygote::Zygote(Zygote&&) noexcept = default;
Zygote& Zygote::operator=(Zygote&&) noexcept = default;
Zygote::~Zygote() = default;

Result<Zygote> Zygote::start(ZygoteOptions options) {
  auto state = std::make_unique<State>(std::move(options));
  KGB_TRY(state->process, ZygoteProcess::start(state->options));
  KGB_CHECK(check_readable(state->options, state->process->hello()));
  state->interpreter = state->process->hello().interpreter;
  return Zygote(std::move(state));
}

const Interpreter& Zygote::interpreter() const {
  return state_->interpreter;
}
int Zygote::restarts() const {
  return state_->restarts;
}

Result<AuthorOutcome> Zygote::author(std::string_view session_json, const fs::path& workspace,
                                     const sandbox::Limits& limits) {
  const Steady::time_point begin = Steady::now();
  const Slot slot(state_->slots);
  std::error_code code;
  const std::string folder = fs::canonical(workspace, code).native();
  if (code)
    return host_error("cannot find the workspace " + in_quotes(workspace.native()) + ": " + code.message());
  ForkRequest request;
  request.id = ++state_->ids;
  request.workspace = folder;
  request.module = state_->options.module;
  request.lock = state_->lock_for(slot.number, folder);
  request.environment = {{"HOME", folder},
                         {"TMPDIR", folder},
                         {"TRITON_CACHE_DIR", folder + "/.triton"},
                         {"XDG_CACHE_HOME", folder + "/.cache"}};
  KGB_TRY(const std::string random, random_bytes(16));
  request.nonce = hex(std::span(reinterpret_cast<const std::uint8_t*>(random.data()), random.size()));
  KGB_TRY(const std::string text, to_json_text(request, session_json));
  if (request.lock.uid) KGB_CHECK(give_to(folder, *request.lock.uid));

  KGB_TRY(Pipes pipes, Pipes::make());
  KGB_TRY(std::optional<sandbox::Cgroup> group,
          sandbox::Cgroup::make(sandbox::cgroup_places(), request.lock.memory_bytes, request.lock.processes));
  std::vector<int> fds{pipes.result.write.get(), pipes.out.write.get(), pipes.err.write.get(),
                       pipes.status.write.get()};
  if (group) {
    for (const int fd : group->join_fds()) fds.push_back(fd);
  }
  KGB_TRY(ZygoteProcess::Forked forked, state_->fork(request.id, text, fds));
  sandbox::Child child(forked.pid, std::move(forked.pidfd), std::move(group), request.lock);
  for (Pipe* pipe : {&pipes.result, &pipes.out, &pipes.err, &pipes.status}) pipe->write.reset();

  AuthorOutcome outcome;
  KGB_TRY(outcome.layers, wait_for_lock(pipes.status.read.get()));
  outcome.fork_ms = millis_since(begin);
  sandbox::Channel result, out, err;
  result.fd = std::move(pipes.result.read), result.keep = limits.keep_result;
  out.fd = std::move(pipes.out.read), out.keep = limits.keep_stdout;
  err.fd = std::move(pipes.err.read), err.keep = limits.keep_stderr;
  sandbox::Channel* const channels[] = {&result, &out, &err};
  KGB_TRY(outcome.finished, child.wait(limits, channels));
  outcome.result = parse_result_stream(result.bytes, request.nonce, result.cut());
  outcome.out = to_utf8_lossy(out.bytes), outcome.out_cut = out.cut();
  outcome.err = to_utf8_lossy(err.bytes), outcome.err_cut = err.cut();
  return outcome;
}

Result<sandbox::Started> Zygote::start_worker(const std::string& module, int channel) {
  KGB_TRY(Pipe out, make_pipe());
  KGB_TRY(Pipe err, make_pipe());
  const std::uint64_t id = ++state_->ids;
  const int fds[] = {channel, out.write.get(), err.write.get()};
  KGB_TRY(ZygoteProcess::Forked forked, state_->fork(id, worker_request_text(id, module), fds));
  sandbox::LockSpec unlocked;
  unlocked.memory_bytes = 0;  // nothing to watch
  const sandbox::Limits limits;
  sandbox::Started started{
      sandbox::Child(forked.pid, std::move(forked.pidfd), std::nullopt, std::move(unlocked)), {}, {}, {}};
  started.out.fd = std::move(out.read), started.out.keep = limits.keep_stdout;
  started.err.fd = std::move(err.read), started.err.keep = limits.keep_stderr;
  return started;
}

Result<TempDir> make_workspace() {
  return TempDir::make("kgbench-author");
}

}  // namespace kgb::author
