// SPDX-License-Identifier: Apache-2.0
// Options of ncu, and its refusals in plain words. Source of both: the manual of Nsight Compute's CLI.
#include "ncu.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "base/files.hpp"
#include "base/text.hpp"
#include "report/ncu_csv.hpp"
#include "sandbox/process.hpp"

namespace kgb::app {
namespace {

namespace fs = std::filesystem;

constexpr Millis kNcuLimit{540'000};
constexpr std::size_t kKeptOutput = 64u << 20;

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

// Those whose name begins so, newest version first.
std::vector<fs::path> folders_in(const fs::path& parent, const std::string& prefix) {
  std::vector<fs::path> folders;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored))
    if (entry.path().filename().string().starts_with(prefix)) folders.push_back(entry.path());
  std::sort(folders.rbegin(), folders.rend());
  return folders;
}

Result<sandbox::Output> run(const NcuTask& task, const std::vector<std::string>& arguments) {
  sandbox::Command command;
  command.argv = {task.program};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.environment = task.environment;
  command.cwd = task.folder.string();
  sandbox::Limits limits;
  limits.wall = kNcuLimit;
  limits.keep_stdout = kKeptOutput;
  return sandbox::run(command, limits);
}

std::vector<std::string> profile_arguments(const NcuTask& task, bool all_metrics_by_name) {
  std::vector<std::string> arguments{"--export",
                                     (task.folder / "profile").string(),
                                     "--force-overwrite",
                                     "--clock-control",
                                     "none",
                                     "--cache-control",
                                     "all",
                                     "--launch-skip",
                                     std::to_string(task.skip),
                                     "--launch-count",
                                     std::to_string(task.count)};
  if (all_metrics_by_name) {
    std::vector<std::string> names;
    for (const NcuMetric& metric : ncu_metrics()) names.emplace_back(metric.name);
    // SourceCounters samples the program counter: stalls, and the lines that they are at.
    arguments.insert(arguments.end(), {"--section", "SourceCounters", "--import-source", "yes",
                                       "--source-folders", task.folder.string(), "--metrics",
                                       join(names, ",") + ",group:smsp__pcsamp_warp_stall_reasons"});
  } else {
    // A version that lacks one of the names refuses them all: its own full set has most of them.
    arguments.insert(arguments.end(), {"--set", "full"});
  }
  arguments.insert(arguments.end(), task.command.begin(), task.command.end());
  return arguments;
}

// What ncu said last: its own lines are marked.
std::string complaint(const sandbox::Output& output) {
  std::string last;
  for (const std::string* text : {&output.out, &output.err})
    for (const std::string& line : split_lines(*text))
      if (line.find("==ERROR==") != std::string::npos || last.empty()) last = std::string(trim(line));
  return last.empty() ? "it said nothing" : to_utf8_lossy(cut_utf8(last, 300));
}

bool refused(const sandbox::Output& output) {
  return (output.out + output.err).find("ERR_NVGPUCTRPERM") != std::string::npos;
}

}  // namespace

Result<std::string> find_ncu() {
  if (const char* named = std::getenv("KGBENCH_NCU"); named != nullptr && *named != '\0') {
    if (is_program(named)) return fs::absolute(named).string();
    return user_error("KGBENCH_NCU names " + in_quotes(named) + ", which is no program");
  }
  std::vector<fs::path> places;
  if (const char* path = std::getenv("PATH"))
    for (const std::string& folder : split(path, ':'))
      if (!folder.empty()) places.emplace_back(folder);
  for (const auto& [parent, prefix, below] :
       {std::tuple("/usr/local", "cuda", "bin"), std::tuple("/opt/nvidia/nsight-compute", "", "")})
    for (const fs::path& version : folders_in(parent, prefix)) places.push_back(version / below);
  for (const fs::path& place : places)
    if (is_program(place / "ncu")) return (place / "ncu").string();
  return std::string();
}

Result<NcuRun> run_ncu(const NcuTask& task) {
  NcuRun done;
  const fs::path report = task.folder / "profile.ncu-rep";
  std::error_code ignored;
  for (const bool by_name : {true, false}) {
    fs::remove(report, ignored);
    KGB_TRY(const sandbox::Output output, run(task, profile_arguments(task, by_name)));
    KGB_CHECK(write_file(task.folder / "ncu.log", output.out + output.err));
    if (refused(output)) {
      done.why =
          "this user may not read the device's counters (ERR_NVGPUCTRPERM). Run as root, or load the driver "
          "with NVreg_RestrictProfilingToAdminUsers=0";
      return done;
    }
    if (output.finished.end == sandbox::End::timeout) {
      done.why = "ncu " + output.finished.describe();
      return done;
    }
    done.why = "ncu gave no report: " + complaint(output);
    if (!fs::exists(report, ignored)) continue;
    done.report = report.string();
    KGB_TRY(const sandbox::Output raw, run(task, {"--import", done.report, "--csv", "--page", "raw"}));
    done.raw = raw.out;
    if (ncu_kernels(done.raw).empty()) {
      done.why = "ncu's report holds no kernel: " + complaint(raw);
      continue;
    }
    done.why.clear();
    KGB_TRY(const sandbox::Output source,
            run(task, {"--import", done.report, "--csv", "--page", "source", "--print-source", "cuda,sass"}));
    if (source.finished.clean()) done.source = source.out;
    return done;
  }
  return done;
}

}  // namespace kgb::app
