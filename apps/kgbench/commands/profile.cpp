// SPDX-License-Identifier: Apache-2.0
// kgbench profile: one call of a candidate, kernel by kernel: hardware counters by ncu, activity times, or
// the virtual machine's counters.
#include <fcntl.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/fd.hpp"
#include "base/files.hpp"
#include "base/frame.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "counted.hpp"
#include "judge/processes.hpp"
#include "judge_told.hpp"
#include "model/generate.hpp"
#include "ncu.hpp"
#include "report/profile.hpp"
#include "sandbox/process.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

namespace fs = std::filesystem;

constexpr int kSamples = 11;  // of the call, and replays whose nodes are told apart
constexpr Millis kReplayLimit{300'000};

struct ProfileArguments {
  std::string file, op, only;
  std::vector<std::string> time_specs;
  fs::path out;
  bool json = false, no_counters = false;
  JudgeOptions judge;
};

// Where CUPTI lies in the interpreter's packages; empty: it is named, or not there.
std::string bundled_cupti(const std::vector<std::string>& import_folders) {
  if (std::getenv("KGBENCH_CUPTI_LIBRARY") != nullptr) return {};
  std::error_code ignored;
  for (const std::string& folder : import_folders)
    for (const auto& part : fs::directory_iterator(fs::path(folder) / "nvidia", ignored))
      for (const auto& file : fs::directory_iterator(part.path() / "lib", ignored))
        if (file.path().filename().string().starts_with("libcupti.so")) return file.path().string();
  return {};
}

// Of the replay and of ncu: they see the device and the driver, and nothing of a candidate's.
std::vector<std::string> replay_environment(int device, const std::string& cupti) {
  std::vector<std::string> out = device_environment(device);
  out.emplace_back("LANG=C.UTF-8");
  for (const char* name :
       {"PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "KGBENCH_CUDA_LIBRARY", "KGBENCH_CUPTI_LIBRARY"})
    if (const char* value = std::getenv(name)) out.push_back(std::string(name) + "=" + value);
  if (!cupti.empty()) out.push_back("KGBENCH_CUPTI_LIBRARY=" + cupti);
  return out;
}

Status store_frame(const fs::path& file, const StoredReplay& stored) {
  const Fd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!fd.open()) return errno_error("cannot write " + in_quotes(file.string(), 400));
  return write_frame(fd.get(), stored.json, stored.blob);
}

class Profiling {
 public:
  // `device`: what the plan is replayed on; not asked for on chip cpu.
  Profiling(const ProfileArguments& options, const Catalogue& catalogue, Judge& judge, JudgeRequest request,
            DeviceChoice device)
      : options_(options),
        catalogue_(catalogue),
        judge_(judge),
        request_(std::move(request)),
        device_(std::move(device)) {}

  // nullopt: the candidate does not get as far; standard error says why.
  Result<std::optional<CallProfile>> run() {
    KGB_TRY(std::vector<Judge::Planned> planned, judge_.plan(request_));
    if (planned.size() != 1) return internal_error("a profile is of one workload");
    const Judge::Planned& row = planned.front();
    profile_.op = request_.op;
    profile_.candidate = request_.file;
    profile_.source_hash = sha256_hex(request_.source);
    profile_.chip = request_.chip;
    profile_.seed = seed_text(request_.seed);
    profile_.workload = row.workload;
    profile_.description = describe(row.call);
    KGB_CHECK(make_folder());
    if (request_.chip == "cpu") {
      profile_.no_counters = "there is no GPU here. On one the same command reads them with ncu";
    } else {
      KGB_TRY(const bool replayed, replay());
      if (!replayed) return std::optional<CallProfile>();
    }
    if (!profile_.no_counters.empty()) KGB_CHECK(count(row));
    return std::optional(std::move(profile_));
  }

 private:
  Status make_folder() {
    fs::path folder = options_.out;
    if (folder.empty()) {
      KGB_TRY(const Installation installation, find_installation());
      folder = installation.cache_dir / "profiles" /
               (replace_all(profile_.op, "::", ".") + "-" + profile_.source_hash.substr(0, 12) + "-" +
                profile_.workload + "-" + profile_.seed);
    }
    KGB_CHECK(make_folders(folder));
    std::error_code ignored;
    profile_.folder = fs::absolute(folder, ignored).string();
    return write_file(fs::path(profile_.folder) / "candidate.py", request_.source);
  }

  // False: the plan does not run.
  Result<bool> replay() {
    KGB_TRY(const StoredReplay stored, judge_.replay(request_));
    if (const Finding* why = deciding_finding(stored.findings)) return say(*why);
    const fs::path frame = fs::path(profile_.folder) / "replay.frame";
    KGB_CHECK(store_frame(frame, stored));
    KGB_TRY(const Installation installation, find_installation());
    task_.command = {
        installation.self.string(), "executor", "--replay", frame.string(), "--backend", device_.backend};
    task_.environment = replay_environment(device_.index, bundled_cupti(judge_.import_folders()));
    task_.folder = profile_.folder;
    task_.skip = stored.before;
    task_.count = stored.launches;
    KGB_TRY(const bool timed, take_times());
    if (!timed) return false;
    KGB_CHECK(take_counters());
    return true;
  }

  Result<bool> take_times() {
    sandbox::Command command;
    command.argv = task_.command;
    command.argv.insert(command.argv.end(), {"--samples", std::to_string(kSamples)});
    command.environment = task_.environment;
    sandbox::Limits limits;
    limits.wall = kReplayLimit;
    limits.keep_stdout = 64u << 20;
    KGB_TRY(const sandbox::Output output, sandbox::run(command, limits));
    Result<Replayed> read = replayed_from_json(trim(output.out));
    if (!read.ok())
      return host_error("the replay of the plan " + output.finished.describe() + ": " +
                        to_utf8_lossy(cut_utf8(trim(output.err), 300)));
    if (const Finding* why = deciding_finding(read->findings)) return say(*why);
    profile_.device = read->device;
    profile_.driver = read->driver;
    profile_.call_ns = std::move(read->call_ns);
    profile_.nodes = std::move(read->nodes);
    profile_.no_times = read->untimed;
    profile_.no_activity = read->untraced.empty() ? read->untimed : read->untraced;
    for (ReplayedLaunch& launch : read->launches) {
      launch.file = request_.file;
      profile_.kernels.push_back({std::move(launch), {}, {}, {}});
    }
    attach_activity(profile_);
    return true;
  }

  Status take_counters() {
    if (options_.no_counters) {
      profile_.no_counters = "left out by --no-counters";
      return ok_status();
    }
    if (task_.count == 0) {
      profile_.no_counters = "the call launches no kernel";
      return ok_status();
    }
    KGB_TRY(task_.program, find_ncu());
    if (task_.program.empty()) {
      profile_.no_counters = "ncu was not found. Install NVIDIA Nsight Compute, or name it with KGBENCH_NCU";
      return ok_status();
    }
    KGB_TRY(const NcuRun run, run_ncu(task_));
    profile_.no_counters = run.why;
    profile_.report = run.report;
    attach_counters(profile_, ncu_kernels(run.raw), ncu_source(run.source));
    return ok_status();
  }

  Status count(const Judge::Planned& row) {
    executor::Workshop workshop;
    KGB_TRY(Counted counted,
            count_calls(row, request_.file, request_.seed, options_.judge.trial_s, workshop));
    if (!counted.findings.empty()) {
      profile_.no_work = counted.findings.front().message;
    } else if (counted.calls.empty()) {
      profile_.no_work = "there is no launch plan";
    } else {
      std::vector<const ChipCard*> chips;
      KGB_TRY(const ChipCard* const chip, catalogue_.chip(request_.chip));
      if (!chip->peak.empty()) chips.push_back(chip);
      profile_.work = count_report(row, std::move(counted.calls.back()), request_, catalogue_, chips);
    }
    return ok_status();
  }

  bool say(const Finding& why) const {
    std::fprintf(stderr, "error: %s cannot be replayed: %s: %s\n", request_.file.c_str(), why.kind.c_str(),
                 first_line(why.message).c_str());
    return false;
  }

  const ProfileArguments& options_;
  const Catalogue& catalogue_;
  Judge& judge_;
  JudgeRequest request_;
  DeviceChoice device_;
  NcuTask task_;
  CallProfile profile_;
};

// A kernel that is wrong has nothing to be profiled. The exit code, where it does not pass.
Result<std::optional<int>> judge_first(Judge& judge, JudgeRequest& request) {
  KGB_TRY(const Evaluation evaluation, judge_told(judge, request));
  if (evaluation.verdict == Verdict::pass) return std::optional<int>();
  const Finding* why = deciding_finding(evaluation.findings);
  std::fprintf(stderr, "error: %s does not pass: %s: %s. kgbench judge %s --op %s has all\n",
               request.file.c_str(), std::string(name_of(evaluation.verdict)).c_str(),
               why == nullptr ? "no reason given" : first_line(why->message).c_str(), request.file.c_str(),
               request.op.c_str());
  return std::optional(evaluation.verdict == Verdict::infra ? kExitFault : kExitFailed);
}

Result<int> profile(const ProfileArguments& options) {
  KGB_TRY(const std::string source, read_file(options.file, kMaxCandidateBytes));
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  KGB_TRY(const Catalogue catalogue, load_catalogue({options.op}));
  KGB_TRY(const Operator* const op, catalogue.find(options.op));
  if (language_of(options.file) == "cpp")
    return user_error(
        "C++ candidates run on the processor, which kgbench profile does not look into: use perf");
  if (op->tagged("no_kernel")) return user_error(op->name + " has no kernel that could be profiled");
  JudgeRequest request = request_of(options.judge, resolved);
  request.op = op->name;
  request.source = source;
  request.file = options.file;
  request.contestant = "file";
  request.targets.clear();
  request.time = false;
  KGB_TRY(request.own, own_workloads_of(options.judge, *op));
  if (!options.only.empty()) request.only_workload = options.only;
  KGB_TRY(std::vector<Workload> timed, timed_workloads_of(options.time_specs, *op));
  if (timed.size() > 1) return user_error("one workload is profiled; --time-spec was given more than once");
  KGB_TRY(std::unique_ptr<Judge> judge, open_judge(options.judge, 1, catalogue));
  KGB_TRY(const std::optional<int> failed, judge_first(*judge, request));
  if (failed) return *failed;
  if (!timed.empty()) {
    request.own = std::move(timed);
    request.only_workload.reset();
  }
  KGB_TRY(const std::vector<std::string> ids, judge->timed_workloads(request));
  request.only_workload = ids.front();
  KGB_TRY(const std::optional<CallProfile> made,
          Profiling(options, catalogue, *judge, std::move(request),
                    resolved.devices.empty() ? DeviceChoice() : resolved.devices.front())
              .run());
  if (!made) return kExitFailed;
  const std::string document =
      to_json(*made).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  KGB_CHECK(write_file(fs::path(made->folder) / "profile.json", document));
  std::fputs(options.json ? document.c_str() : profile_text(*made, source).c_str(), stdout);
  return kExitPass;
}

}  // namespace

Registered register_profile(CLI::App& root) {
  auto options = std::make_shared<ProfileArguments>();
  CLI::App* command =
      root.add_subcommand("profile", "Look into a candidate's kernels: counters, times, stalls");
  command->footer(help_text("profile"));
  command->add_option("file", options->file, "the candidate: .py")->required();
  command->add_option("--op", options->op, "operator")->required();
  command->add_option("--only", options->only,
                      "this workload, by its id: s3, f12 (default: the heaviest of those judged)");
  command->add_flag("--json", options->json, "as JSON");
  command->add_option("--out", options->out,
                      "folder for the report, the stored plan and the result (default: one of its own in the "
                      "cache)");
  command->add_flag("--no-counters", options->no_counters,
                    "leave ncu out: times and the virtual machine alone");
  add_judge_options(*command, options->judge, {"smoke"});
  for (const char* name : {"--target", "--lanes", "--no-time"})
    command->remove_option(command->get_option(name));
  add_own_workload_options(*command, options->judge);
  add_time_spec_option(*command, options->time_specs);
  command->get_option("--time-spec")
      ->description(
          "profile this workload, in the form of --workload-spec; it is not judged, and may be large");
  return {command, [options] { return profile(*options); }};
}

}  // namespace kgb::app
