// SPDX-License-Identifier: Apache-2.0
// The zygote's Python process itself: start, greeting, one exchange at a time, end.
#include "author/zygote_process.hpp"

#include <chrono>
#include <cstdint>
#include <cstdlib>

#include "base/frame.hpp"
#include "base/text.hpp"

namespace kgb::author {
namespace {

constexpr std::size_t kMaxReply = std::size_t{1} << 20;
constexpr Millis kForkLimit{30'000};
constexpr Millis kForever{std::chrono::hours(24 * 365)};
constexpr std::size_t kKeptError = 2000;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// All of the interpreter's environment: nothing of ours leaks to candidates by accident.
std::vector<std::string> environment(const ZygoteOptions& options, const std::string& home) {
  std::vector<std::string> out{
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "LANG=C.UTF-8",
      "LC_ALL=C.UTF-8",
      "USER=kgbench",
      "LOGNAME=kgbench",
      "HOME=" + home,
      "TMPDIR=" + home,
      "TRITON_CACHE_DIR=" + home + "/triton",
      // An author has no device: hidden before the first import, whatever the driver.
      "CUDA_VISIBLE_DEVICES=",
      "HIP_VISIBLE_DEVICES=",
      "ROCR_VISIBLE_DEVICES=",
      "ASCEND_RT_VISIBLE_DEVICES=",
      "MUSA_VISIBLE_DEVICES=",
      // One thread: a fork carries over only the thread that forks.
      "OMP_NUM_THREADS=1",
      "MKL_NUM_THREADS=1",
      "OPENBLAS_NUM_THREADS=1",
      "NUMEXPR_NUM_THREADS=1",
      "KGVM=0",  // the Triton plug-in is for users' scripts
      "PYTHONHASHSEED=0",
      "PYTHONNOUSERSITE=1",
      "PYTHONDONTWRITEBYTECODE=1",
      "PYTHONUNBUFFERED=1",
      "PYTHONSAFEPATH=1",
  };
  const std::string path =
      options.python_path.empty() ? variable("PYTHONPATH") : join(options.python_path, ":");
  if (!path.empty()) out.push_back("PYTHONPATH=" + path);
  if (const std::string folder = variable("KGBENCH_EXT_DIR"); !folder.empty()) {
    out.push_back("KGBENCH_EXT_DIR=" + folder);
  }
  out.insert(out.end(), options.environment.begin(), options.environment.end());
  return out;
}

}  // namespace

ZygoteProcess::ZygoteProcess(sandbox::Started started, Fd socket, TempDir home)
    : started_(std::move(started)), socket_(std::move(socket)), home_(std::move(home)) {
  keeper_ = std::thread([this] {
    sandbox::Limits limits;
    limits.wall = kForever;
    limits.flood_bytes = UINT64_MAX;
    sandbox::Channel* const channels[] = {&started_.out, &started_.err};
    static_cast<void>(started_.child.wait(limits, channels));
  });
}

ZygoteProcess::~ZygoteProcess() {
  // The end of the socket tells it to kill what it forked and leave.
  socket_.reset();
  if (!wait_for(started_.child.pidfd(), 1, Deadline(Millis(2000))).ok() || started_.child.running()) {
    started_.child.kill();
  }
  keeper_.join();
}

Result<std::unique_ptr<ZygoteProcess>> ZygoteProcess::start(const ZygoteOptions& options) {
  KGB_TRY(auto ends, make_socket_pair());
  KGB_TRY(TempDir home, TempDir::make("kgbench-zygote"));
  sandbox::Command command;
  const std::string fallback = variable("KGBENCH_PYTHON").empty() ? "python3" : variable("KGBENCH_PYTHON");
  command.argv = {
      options.python.empty() ? fallback : options.python,  "-s", "-B", "-m", "kgbench.author.zygote",
      start_options_json(3, home.path().native(), options)};
  command.environment = environment(options, home.path().native());
  command.pass = {ends.second.get()};
  KGB_TRY(sandbox::Started started, sandbox::start(command));
  ends.second.reset();
  std::unique_ptr<ZygoteProcess> process(
      new ZygoteProcess(std::move(started), std::move(ends.first), std::move(home)));
  if (const Status greeting = process->greet(options.start_limit); !greeting.ok()) {
    process->socket_.reset();
    process->started_.child.kill();
    process->keeper_.join();
    process->keeper_ = std::thread([] {});
    const std::string& text = process->started_.err.bytes;
    const std::string tail =
        to_utf8_lossy(trim(text.substr(text.size() - std::min(text.size(), kKeptError))));
    return host_error("the author's interpreter " + in_quotes(command.argv[0]) + " did not start: " +
                      greeting.error().message + (tail.empty() ? "" : "; it printed: " + tail));
  }
  return process;
}

Result<std::string> ZygoteProcess::receive(std::vector<Fd>& fds, const Deadline& deadline) {
  KGB_TRY(const std::string header, receive_with_fds(socket_.get(), kFrameHeader, fds, deadline));
  std::uint32_t size = 0;
  for (std::size_t i = 4; i-- > 0;) size = size << 8 | static_cast<unsigned char>(header[4 + i]);
  if (!header.starts_with(kFrameMagic) || size == 0 || size > kMaxReply)
    return host_error("the zygote sent no frame");
  return receive_with_fds(socket_.get(), size, fds, deadline);
}

Status ZygoteProcess::greet(Millis limit) {
  std::vector<Fd> fds;
  KGB_TRY(const std::string text, receive(fds, Deadline(limit)));
  KGB_TRY(hello_, hello_from_json(text));
  return ok_status();
}

Result<ZygoteProcess::Forked> ZygoteProcess::exchange(std::uint64_t id, std::string_view request,
                                                      std::span<const int> fds) {
  const Deadline deadline(kForkLimit);
  KGB_CHECK(send_with_fds(socket_.get(), frame_text(request), fds, deadline));
  std::vector<Fd> received;
  KGB_TRY(const std::string text, receive(received, deadline));
  KGB_TRY(const ForkReply reply, fork_reply_from_json(text));
  if (!reply.error.empty()) return host_error(reply.error);
  if (reply.id != id || reply.pid <= 0 || received.size() != 1)
    return host_error("the zygote's reply does not fit");
  return Forked{reply.pid, std::move(received[0])};
}

}  // namespace kgb::author
