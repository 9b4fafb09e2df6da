// SPDX-License-Identifier: Apache-2.0
// Builds native candidates in the lock and drives their host process through the trials.
#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "base/text.hpp"
#include "judge/contract.hpp"
#include "judge/native.hpp"
#include "judge/native_host.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using nlohmann::json;

constexpr uid_t kNativeUid = 64991;  // as root; nobody else runs under it
constexpr Millis kCompileLimit{120'000};
constexpr int kCallsPerTrial = 3;

std::vector<std::string> system_folders() {
  return {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache"};
}

sandbox::LockSpec lock_for(const JudgeSetup& setup, const std::string& workspace) {
  sandbox::LockSpec lock;
  lock.workspace = workspace;
  lock.read = system_folders();
  for (const char* extra : {"/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"})
    lock.read.emplace_back(extra);
  lock.hidden = answers_of(setup.installation);
  if (::geteuid() == 0) lock.uid = kNativeUid;
  lock.memory_bytes = setup.limits.memory_bytes;
  lock.allow_weak = setup.allow_weak_lock;
  return lock;
}

// First line of the compiler's output that names an error, without the workspace's path.
std::pair<std::string, int> first_error(const std::string& output) {
  for (const std::string& text : split_lines(output)) {
    const std::size_t at = text.find("error: ");
    if (at == std::string::npos) continue;
    int line_number = 0;
    const std::vector<std::string> parts = split(text.substr(0, at), ':');
    if (parts.size() > 1) line_number = static_cast<int>(parse_int(parts[1]).value_or(0));
    return {text.substr(at + 7), line_number};
  }
  return {"the compiler gave no reason", 0};
}

sandbox::Command compile_command(const JudgeSetup& setup, const std::string& workspace) {
  sandbox::Command command;
  const std::string include = setup.installation.include_dir.string();
  command.argv = {"c++", "-std=c++20", "-O3", "-march=native", "-fopenmp",     "-shared", "-fPIC",
                  "-I",  include,      "-o",  "candidate.so",  "candidate.cpp"};
  command.environment = {"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "TMPDIR=" + workspace};
  command.cwd = workspace;
  sandbox::LockSpec lock = lock_for(setup, workspace);
  lock.read.push_back(include);
  lock.execute = system_folders();
  command.lock = lock;
  return command;
}

Status report_compilation(Case& open, const sandbox::Output& output) {
  if (output.finished.clean()) return ok_status();
  using sandbox::End;
  if (output.finished.end == End::timeout || output.finished.end == End::out_of_memory) {
    open.findings.push_back(make_finding(output.finished.end == End::timeout ? "deadline" : "memory_limit",
                                         Gate::static_, "the C++ compiler " + output.finished.describe()));
    return ok_status();
  }
  const auto [message, line] = first_error(output.err);
  Finding finding = make_finding("native_compile_error", Gate::static_, message);
  finding.file = open.request.file;
  finding.line = line;
  finding.details["log"] = to_utf8_lossy(output.err).substr(0, 4000);
  open.findings.push_back(std::move(finding));
  return ok_status();
}

}  // namespace

Status native_build(Case& open, Processes& processes) {
  KGB_TRY(TempDir workspace, TempDir::make("kgbench-native"));
  const std::string path = workspace.path().string();
  KGB_CHECK(write_file(workspace.path() / "candidate.cpp", open.request.source));
  if (::geteuid() == 0 && ::chown(path.c_str(), kNativeUid, kNativeUid) != 0)
    return errno_error("cannot give " + path + " to the candidate's user");
  sandbox::Limits limits;
  limits.wall = kCompileLimit;
  limits.stop = open.request.stop;
  KGB_TRY(const sandbox::Output output, sandbox::run(compile_command(processes.setup(), path), limits));
  KGB_CHECK(report_compilation(open, output));
  if (!output.finished.clean()) return ok_status();
  KGB_TRY(open.native,
          NativeHost::load(processes.setup(), lock_for(processes.setup(), path), std::move(workspace), open));
  return ok_status();
}

Status native_correct(Case& open, Processes& processes) {
  if (open.native == nullptr) return ok_status();
  for (Job& job : open.jobs) {
    if (job.only_timed) continue;
    for (int trial = 0; trial < open.request.value_sets && job.findings.empty() && !open.stopped(); ++trial)
      for (int number = 0; number < kCallsPerTrial && job.findings.empty(); ++number) {
        KGB_CHECK(open.native->judge_call(open, job, {open.request.seed, trial, number}, processes));
        job.judged = true;
      }
  }
  return ok_status();
}

}  // namespace kgb
