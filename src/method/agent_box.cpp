// SPDX-License-Identifier: Apache-2.0
// Makes the folder, puts the lock on, and watches.
#include "method/agent_box.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/text.hpp"
#include "sandbox/namespaces.hpp"
#include "sandbox/readable.hpp"

namespace kgb::method {
namespace fs = std::filesystem;
namespace {

constexpr int kPort = 8000;
constexpr uid_t kFirstUid = 64000;  // as root; below those of authors and of the compiler
constexpr unsigned kUids = 500;
constexpr std::size_t kKeepOut = std::size_t{1} << 20, kKeepErr = std::size_t{256} << 10;
constexpr std::uint64_t kFlood = std::uint64_t{256} << 20;
constexpr std::uint64_t kFileBytes = std::uint64_t{1} << 30, kWorkBytes = std::uint64_t{4} << 30;
constexpr unsigned kProcesses = 512, kOpenFiles = 4096;
constexpr int kCores = 4;  // processor seconds of one process, in multiples of the time limit
constexpr Millis kLook{200};

// What programs of any language read.
const std::vector<std::string>& system_paths() {
  static const std::vector<std::string> paths{"/etc/alternatives",
                                              "/etc/ca-certificates",
                                              "/etc/group",
                                              "/etc/host.conf",
                                              "/etc/hosts",
                                              "/etc/ld.so.cache",
                                              "/etc/localtime",
                                              "/etc/mime.types",
                                              "/etc/nsswitch.conf",
                                              "/etc/os-release",
                                              "/etc/passwd",
                                              "/etc/ssl/certs",
                                              "/etc/ssl/openssl.cnf",
                                              "/proc/cpuinfo",
                                              "/proc/filesystems",
                                              "/proc/loadavg",
                                              "/proc/meminfo",
                                              "/proc/stat",
                                              "/proc/uptime",
                                              "/proc/version",
                                              "/proc/sys/kernel/osrelease",
                                              "/proc/sys/vm/overcommit_memory",
                                              "/sys/devices/system/cpu"};
  return paths;
}
const std::vector<std::string>& program_paths() {
  static const std::vector<std::string> paths{"/usr", "/bin", "/lib", "/lib64"};
  return paths;
}

// A user for each agent that runs at a time; two kgbench on one host begin at different ones.
uid_t next_uid() {
  static std::atomic<unsigned> next{static_cast<unsigned>(::getpid()) * 37};
  return kFirstUid + next++ % kUids;
}

Status give(const fs::path& path, std::optional<uid_t> uid) {
  if (uid && ::lchown(path.c_str(), *uid, *uid) != 0)
    return errno_error("cannot give " + in_quotes(path.native()) + " to user " + std::to_string(*uid));
  return ok_status();
}

}  // namespace

int Box::port() {
  return kPort;
}

bool Box::has_port() const {
  return (sandbox::usable_namespaces() & ~spec_.avoid & sandbox::kNetNs) != 0;
}

Result<Box> Box::make(BoxSpec spec) {
  KGB_TRY(TempDir folder, TempDir::make("kgbench-agent"));
  Box box(std::move(spec), std::move(folder));
  if (!box.has_port() && !box.spec_.allow_weak)
    return host_error(
        "this host gives no network namespace: an agent could reach any network, and its tokens would not be "
        "known. Use --allow-weak-lock to go on, or run in a container that allows namespaces  (kgbench "
        "doctor)");
  if (::geteuid() == 0) box.uid_ = next_uid();
  KGB_CHECK(make_folders(box.work()));
  KGB_CHECK(make_folders(box.work() / ".tmp"));
  KGB_CHECK(make_folders(box.tools()));
  // Another user must come through; what lies in it is either the agent's or read-only to it.
  if (box.uid_ && ::chmod(box.folder_.path().c_str(), 0711) != 0)
    return errno_error("cannot open " + in_quotes(box.folder_.path().native()));
  if (::chmod(box.work().c_str(), 0700) != 0 || ::chmod(box.tools().c_str(), 0755) != 0)
    return errno_error("cannot set the modes of an agent's folders");
  KGB_CHECK(give(box.work(), box.uid_));
  KGB_CHECK(give(box.work() / ".tmp", box.uid_));
  KGB_CHECK(box.check_readable());
  return box;
}

Status Box::check_readable() const {
  if (!uid_) return ok_status();
  const std::vector<std::string> own{work().string()};
  for (const auto& [paths, remedy] : {std::pair(&spec_.read, "Open it: chmod o+rx"),
                                      std::pair(&own, "Set TMPDIR to a folder that all users reach")}) {
    KGB_TRY(const auto blocked, sandbox::first_unreadable(*uid_, *paths));
    if (!blocked) continue;
    return user_error("agents run as user " + std::to_string(*uid_) + ", who cannot read " +
                      in_quotes(blocked->path) + ": " + in_quotes(blocked->blocker) + " (" + blocked->reason +
                      "). " + remedy);
  }
  return ok_status();
}

Status Box::add_file(const std::string& name, std::string_view text) {
  KGB_CHECK(write_file(work() / name, text));
  return give(work() / name, uid_);
}

Status Box::add_tool(const std::string& name, std::string_view text) {
  return write_file(tools() / name, text, 0755);
}

sandbox::LockSpec Box::lock(double seconds) const {
  sandbox::LockSpec lock;
  lock.uid = uid_;
  lock.workspace = work().string();
  lock.read = system_paths();
  lock.hidden = spec_.hidden;
  lock.execute = program_paths();
  lock.execute.insert(lock.execute.end(), spec_.read.begin(), spec_.read.end());
  lock.execute.push_back(tools().string());
  lock.execute.push_back(work().string());
  lock.port = has_port() ? kPort : 0;
  lock.network = !has_port();
  lock.metadata = true;
  lock.avoid = spec_.avoid;
  lock.memory_bytes = spec_.memory_bytes;
  lock.file_bytes = kFileBytes;
  lock.workspace_bytes = kWorkBytes;
  lock.processes = kProcesses;
  lock.open_files = kOpenFiles;
  lock.cpu_seconds = static_cast<unsigned>(kCores * seconds) + 60;
  lock.allow_weak = spec_.allow_weak;
  return lock;
}

Result<BoxEnd> Box::run(const BoxRun& run) {
  sandbox::Command command;
  command.argv = run.command;
  command.environment = run.environment;
  command.cwd = work().string();
  command.lock = lock(run.seconds);
  sandbox::Limits limits;
  limits.wall = Millis(static_cast<std::int64_t>(1e3 * run.seconds));
  limits.keep_stdout = kKeepOut;
  limits.keep_stderr = kKeepErr;
  limits.flood_bytes = kFlood;
  KGB_TRY(sandbox::Started started, sandbox::start(command, limits));
  if (started.listener.open()) KGB_CHECK(run.open_port(std::move(started.listener)));
  BoxEnd end;
  std::atomic<bool> done{false};
  std::thread watcher([&] {
    for (; !done; std::this_thread::sleep_for(kLook)) {
      end.killed = run.over();
      if (end.killed.empty()) continue;
      return started.child.kill();
    }
  });
  sandbox::Channel* const channels[] = {&started.out, &started.err};
  Result<sandbox::Finished> finished = started.child.wait(limits, channels);
  done = true;
  watcher.join();
  if (!finished.ok()) return finished.error();
  end.finished = *finished;
  end.out = std::move(started.out.bytes);
  end.err = std::move(started.err.bytes);
  end.out_cut = started.out.total > end.out.size();
  end.err_cut = started.err.total > end.err.size();
  return end;
}

std::optional<std::string> Box::file(const std::string& name, std::size_t max_bytes) const {
  const Fd fd(::open((work() / name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info{};
  if (!fd.open() || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  Result<std::string> text = read_to_end(fd.get(), max_bytes, Deadline(Millis(10'000)), name);
  if (!text.ok()) return std::nullopt;
  return std::move(*text);
}

}  // namespace kgb::method
