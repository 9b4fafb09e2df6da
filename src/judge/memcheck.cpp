// SPDX-License-Identifier: Apache-2.0
// Stores the plans, starts the tool on a replay of them, and reads what it says.
#include "judge/memcheck.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/frame.hpp"
#include "base/text.hpp"
#include "compiler/nvrtc.hpp"
#include "judge/station.hpp"
#include "judge/timing.hpp"
#include "judge/trials.hpp"
#include "model/replayed.hpp"
#include "sandbox/process.hpp"

namespace kgb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTool = "compute-sanitizer";
// Unmapped room behind every allocation: without it a stray access may hit the next one, which is nobody's
// error.
constexpr const char* kPadding = "1048576";
constexpr Millis kMostTime{600'000};
constexpr std::int64_t kReplayMs = 600'000;
constexpr std::size_t kMostReport = std::size_t{4} << 20;

bool is_program(const fs::path& file) {
  std::error_code ignored;
  return fs::is_regular_file(file, ignored) && ::access(file.c_str(), X_OK) == 0;
}

// A plan that stands ready in a file.
struct Stored {
  Job* job;
  fs::path file;
  std::vector<std::string> symbols;  // of its kernels in their code
};

struct Ran {
  MemcheckReport report;
  std::size_t whole = 0;  // plans that were replayed to their end
  std::string why;        // it ended before the last one; empty: it did not
};

bool wanted(const Case& open) {
  using Mode = JudgeRequest::Memcheck;
  if (!open.on_device() || open.seat == nullptr || open.request.memcheck == Mode::off) return false;
  return open.request.memcheck == Mode::on || (!open.quick() && open.value_sets() > 0);
}

bool passes(const Job& job) {
  return decide(job.findings) == Verdict::pass;
}

Result<std::vector<Stored>> store_plans(Case& open, Processes& processes, const fs::path& folder) {
  std::vector<Stored> plans;
  for (Job& job : open.jobs) {
    if (job.only_timed || !job.recording || job.recording->kernels.empty()) continue;
    KGB_TRY(std::optional<TrialRequest> request, timed_request(open, job, timed_trial(job), processes));
    if (!request) continue;
    request->deadline_ms = kReplayMs;
    const fs::path file = folder / (std::to_string(plans.size()) + ".frame");
    const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!fd.open()) return errno_error("cannot write " + in_quotes(file.string(), 400));
    KGB_CHECK(write_frame(fd.get(), to_json_text(*request, 1), blob_of(*request, job.recording_json)));
    plans.push_back({&job, file, {}});
    for (const KernelImage& image : request->images) plans.back().symbols.push_back(image.entry);
  }
  return plans;
}

sandbox::Command command_of(const Processes& processes, const DeviceChoice& device,
                            const std::vector<Stored>& plans, const fs::path& log) {
  sandbox::Command command;
  command.argv = {processes.memcheck_tool(),
                  "--tool",
                  "memcheck",
                  "--log-file",
                  log.string(),
                  "--padding",
                  kPadding,
                  "--print-limit",
                  std::to_string(kMostMemoryErrors),
                  "--show-backtrace",
                  "no",
                  "--demangle",  // kernels are known by their symbols
                  "no",
                  processes.setup().installation.self.string(),
                  "executor",
                  "--apart",
                  "--backend",
                  device.backend};
  for (const Stored& plan : plans) command.argv.insert(command.argv.end(), {"--replay", plan.file.string()});
  command.environment = device_environment(device.index);
  command.environment.emplace_back("LANG=C.UTF-8");
  command.environment.push_back("TMPDIR=" + log.parent_path().string());
  for (const char* name : {"PATH", "HOME", "LD_LIBRARY_PATH", "KGBENCH_CUDA_LIBRARY"})
    if (const char* value = std::getenv(name)) command.environment.push_back(std::string(name) + "=" + value);
  return command;
}

// Each plan that was replayed is a line. A kernel can reach the process that writes it: the line is a claim,
// and all that it can hide is said by the report.
std::string take_replays(const sandbox::Output& output, Ran& ran) {
  for (const std::string& line : split_lines(output.out)) {
    const Result<Replayed> replayed = replayed_from_json(trim(line));
    if (!replayed.ok()) continue;  // what kernels print is in between
    if (!replayed->findings.empty()) return to_utf8_lossy(cut_utf8(replayed->findings.front().message, 300));
    ++ran.whole;
  }
  return {};
}

Result<Ran> run_tool(const Case& open, Processes& processes, const std::vector<Stored>& plans,
                     const fs::path& folder) {
  const fs::path log = folder / "memcheck.log";
  Station& station = open.seat->station();
  sandbox::Limits limits;
  limits.wall = kMostTime;
  limits.keep_stdout = kMostReport;
  limits.stop = open.request.stop;
  const auto shared = station.share();
  KGB_TRY(const sandbox::Output output,
          sandbox::run(command_of(processes, station.device(), plans, log), limits));
  Ran ran;
  std::error_code ignored;
  if (fs::exists(log, ignored)) {
    KGB_TRY(const std::string text, read_file(log, kMostReport));
    ran.report = memcheck_report(text);
  }
  ran.why = take_replays(output, ran);
  if (!ran.report.complaint.empty()) ran.why = ran.report.complaint;
  if (ran.whole == plans.size() && output.finished.clean()) return ran;
  const std::string said = to_utf8_lossy(cut_utf8(trim(output.err), 300));
  if (ran.why.empty()) ran.why = said.empty() ? "it " + output.finished.describe() : said;
  return ran;
}

std::vector<std::string> symbols_of(const std::vector<Stored>& plans) {
  std::vector<std::string> names;
  for (const Stored& plan : plans) names.insert(names.end(), plan.symbols.begin(), plan.symbols.end());
  return names;
}

// The kernel by the name that the candidate calls it: "add<float>" for _Z3addIfEvPKT_.
std::string name_of_symbol(const std::string& symbol, const std::vector<Stored>& plans) {
  for (const Stored& plan : plans)
    for (std::size_t k = 0; k < plan.symbols.size(); ++k)
      if (plan.symbols[k] == symbol) return plan.job->recording->kernels[k].name;
  return symbol;
}

Finding finding_of(const Case& open, const MemoryError& error, const std::string& workload) {
  Finding finding = make_finding(
      error.misaligned ? "device_fault" : "out_of_bounds", Gate::correct,
      fmt::format("kernel {}: {}, seen by compute-sanitizer", error.kernel, describe(error)), workload);
  finding.details = {{"kernel", error.kernel},
                     {"access", error.access},
                     {"address", error.address},
                     {"bytes", std::to_string(error.bytes)},
                     {"thread", error.thread},
                     {"block", error.block},
                     {"tool", "compute-sanitizer memcheck"}};
  const fs::path name = fs::path(error.file).filename();
  const bool own = name == kCandidateFile || name == kCudaFile;
  if (error.line > 0 && (own || !open.request.library.empty())) {
    finding.file = shown_file(open.request, own ? kCandidateFile : error.file);
    finding.line = error.line;
  }
  return finding;
}

}  // namespace

Result<std::string> find_compute_sanitizer(const std::vector<std::string>& packages) {
  if (const char* named = std::getenv("KGBENCH_COMPUTE_SANITIZER"); named != nullptr && *named != '\0') {
    if (is_program(named)) return fs::absolute(named).string();
    return user_error("KGBENCH_COMPUTE_SANITIZER names " + in_quotes(named) + ", which is no program");
  }
  std::vector<fs::path> places;
  if (const char* path = std::getenv("PATH"))
    for (const std::string& folder : split(path, ':'))
      if (!folder.empty()) places.emplace_back(folder);
  std::error_code ignored;
  std::vector<fs::path> toolkits;
  for (const auto& entry : fs::directory_iterator("/usr/local", ignored))
    if (entry.path().filename().string().starts_with("cuda")) toolkits.push_back(entry.path());
  std::sort(toolkits.rbegin(), toolkits.rend());
  for (const std::string& folder : packages)
    for (const auto& part : fs::directory_iterator(fs::path(folder) / "nvidia", ignored))
      toolkits.push_back(part.path());
  for (const fs::path& toolkit : toolkits)
    for (const char* below : {"bin", "compute-sanitizer"}) places.push_back(toolkit / below);
  for (const fs::path& place : places)
    if (is_program(place / kTool)) return (place / kTool).string();
  return std::string();
}

const MemoryError* first_of(const MemcheckReport& report, const std::vector<std::string>& kernels) {
  for (const MemoryError& error : report.errors) {
    const bool wrong = error.misaligned || !error.inside;
    if (wrong && std::find(kernels.begin(), kernels.end(), error.kernel) != kernels.end()) return &error;
  }
  return nullptr;
}

Status memcheck(Case& open, Processes& processes) {
  if (!wanted(open) || !std::all_of(open.jobs.begin(), open.jobs.end(), passes)) return ok_status();
  if (processes.memcheck_tool().empty()) {
    open.memcheck = "not installed";
    return ok_status();
  }
  const StageClock clock(open, "memcheck");
  KGB_TRY(const TempDir folder, TempDir::make("kgbench-memcheck"));
  KGB_TRY(const std::vector<Stored> plans, store_plans(open, processes, folder.path()));
  if (plans.empty()) {
    open.memcheck = "no kernel to check";
    return ok_status();
  }
  KGB_TRY(const Ran ran, run_tool(open, processes, plans, folder.path()));
  if (open.stopped()) return ok_status();
  if (const MemoryError* found = first_of(ran.report, symbols_of(plans))) {
    MemoryError error = *found;
    error.kernel = name_of_symbol(found->kernel, plans);
    // An error ends the replay of its plan, where the tool leaves the context in peace the plan is not known.
    Job* const job = ran.whole < plans.size() ? plans[ran.whole].job : nullptr;
    Finding finding = finding_of(open, error, job == nullptr ? "" : job->workload.call.workload);
    (job == nullptr ? open.findings : job->findings).push_back(std::move(finding));
    open.memcheck = fmt::format("{} error{}", ran.report.total.value_or(1), ran.report.total == 1 ? "" : "s");
  } else if (!ran.report.errors.empty()) {
    open.memcheck = fmt::format("cannot tell: it reports {} of kernel {}",
                                describe(ran.report.errors.front()), ran.report.errors.front().kernel);
  } else if (ran.report.total == 0 && ran.whole == plans.size()) {
    open.memcheck = fmt::format("no error in {} plan{}", plans.size(), plans.size() == 1 ? "" : "s");
  } else {
    open.memcheck = "cannot tell: " + (ran.why.empty() ? "its report has no end" : ran.why);
  }
  return ok_status();
}

}  // namespace kgb
