// SPDX-License-Identifier: Apache-2.0
// kgbench sanitize: one candidate on the virtual machine with every check, and what they found; without an
// operator, a whole script.
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "executor/trial.hpp"
#include "judge/case.hpp"
#include "report/sanitize_text.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

struct SanitizeArguments {
  std::string file, op, only;
  std::vector<std::string> arguments;  // of a script
  bool json = false, no_orders = false, all = false;
  double float_tolerance = vm::LaunchChecks{}.float_tolerance;
  JudgeOptions judge;
};

// What recording saw besides advice: the candidate has no plan to run.
std::vector<Finding> blocking(const Judge::Planned& row) {
  std::vector<Finding> found;
  for (const Finding& finding : row.findings)
    if (verdict_of(finding.kind) && !row.recording) found.push_back(finding);
  return found;
}

void rename(std::string& text, const std::string& from, const std::string& to) {
  if (from.empty() || from == to) return;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

Result<std::vector<Finding>> check(const Judge::Planned& row, const SanitizeArguments& options,
                                   const JudgeRequest& request, executor::Workshop& workshop) {
  if (!row.recording) return blocking(row);
  executor::TrialOptions trial;
  trial.seed = request.seed;
  trial.track_writes = false;
  trial.deadline = std::chrono::steady_clock::now() +
                   std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * options.judge.trial_s));
  executor::Sanitizing what;
  what.launch.orders = !options.no_orders;
  what.launch.float_tolerance = options.float_tolerance;
  trial.sanitize = what;
  KGB_TRY(TrialResult result, executor::run_trial(*row.recording, row.calls, trial, workshop));
  for (Finding& finding : result.findings) {
    finding.workload = row.workload;
    if (finding.line <= 0) continue;
    // The kernel's places are told in the name that the author saw; the user knows the file by its own.
    const std::string seen = std::exchange(finding.file, shown_file(request, finding.file));
    rename(finding.message, seen, finding.file);
    rename(finding.details["notes"], seen, finding.file);
  }
  return std::move(result.findings);
}

// Prints findings as they come. As text the first of each kernel and kind is told whole, the others are
// counted at the end: a kernel that races at one place does so on every workload.
struct Printer {
  const SanitizeArguments& options;
  const std::string& source;
  std::map<std::string, std::vector<Finding>> folded;
  std::set<std::string> told;

  void print(const Finding& finding) {
    if (options.json) {
      std::printf("%s\n",
                  to_json(finding).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
      return;
    }
    const std::string key = sanitize_key(finding);
    if (!options.all && !told.insert(key).second) {
      folded[key].push_back(finding);
      return;
    }
    std::printf("%s\n", sanitize_text(finding, finding.file == options.file ? source : "").c_str());
  }

  void print_folded() const {
    for (const auto& [key, findings] : folded) {
      std::vector<const Finding*> more;
      for (const Finding& finding : findings) more.push_back(&finding);
      std::fputs(folded_text(more).c_str(), stdout);
    }
    if (!folded.empty()) std::puts("(--all prints each of them)\n");
  }
};

// Becomes the interpreter that runs the script (python -m kgbench.kgvm --sanitize), whose status is then
// ours.
Result<int> sanitize_script(const SanitizeArguments& options) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(options.file, ignored))
    return user_error("there is no file " + in_quotes(options.file));
  KGB_TRY(const Installation installation, find_installation());
  ::setenv("PYTHONPATH", installation.python_dir.c_str(), 1);
  if (!installation.extension_dir.empty()) ::setenv("KGBENCH_EXT_DIR", installation.extension_dir.c_str(), 1);
  std::vector<std::string> words{installation.interpreter, "-m", "kgbench.kgvm", "--sanitize", options.file};
  words.insert(words.end(), options.arguments.begin(), options.arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  return host_error("cannot start " + installation.interpreter + ": " + std::strerror(errno) +
                    ". KGBENCH_PYTHON names the interpreter");
}

// What was looked at, so that nobody takes the smoke tier for all there is.
std::string tiers_text(const JudgeRequest& request) {
  std::vector<std::string> names;
  for (const Tier tier : request.own.empty() ? request.tiers : std::vector<Tier>())
    names.emplace_back(name_of(tier));
  return names.empty() ? "" : " of " + join(names, ", ");
}

Result<int> sanitize_candidate(const SanitizeArguments& options) {
  KGB_TRY(const std::string source, read_file(options.file, kMaxCandidateBytes));
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  KGB_TRY(const Catalogue catalogue, load_catalogue_for(options.op, options.judge));
  KGB_TRY(const Operator* const op, catalogue.find(options.op));
  JudgeRequest request = request_of(options.judge, resolved);
  KGB_TRY(request.own, own_workloads_of(options.judge, *op));
  KGB_TRY(const std::optional<DeclaredLibrary> library, library_of(options.judge, catalogue));
  KGB_TRY(std::unique_ptr<Judge> judge, open_judge(options.judge, 1, catalogue, library));
  if (library) declare(request, library->library, *op);
  request.op = op->name;
  request.source = source;
  request.file = options.file;
  if (!options.only.empty()) request.only_workload = options.only;
  KGB_TRY(const std::vector<Judge::Planned> planned, judge->plan(request));
  executor::Workshop workshop;
  std::size_t count = 0, bad = 0;
  Printer printer{options, source, {}, {}};
  for (const Judge::Planned& row : planned) {
    KGB_TRY(const std::vector<Finding> findings, check(row, options, request, workshop));
    bad += !findings.empty();
    count += findings.size();
    for (const Finding& finding : findings) printer.print(finding);
  }
  if (!options.json) {
    printer.print_folded();
    if (count == 0)
      std::printf("%s: %zu workloads%s, no findings\n", options.file.c_str(), planned.size(),
                  tiers_text(request).c_str());
    else
      std::printf("%s: %zu findings in %zu of %zu workloads%s\n", options.file.c_str(), count, bad,
                  planned.size(), tiers_text(request).c_str());
  }
  return count == 0 ? kExitPass : kExitFailed;
}

Result<int> sanitize(const CLI::App& command, const SanitizeArguments& options) {
  if (!options.op.empty()) {
    if (!options.arguments.empty())
      return user_error("with --op there is one file, and nothing to pass to it: " +
                        in_quotes(options.arguments.front()));
    return sanitize_candidate(options);
  }
  for (const CLI::Option* option : command.get_options())
    if (option->count() > 0 && !option->get_positional())
      return user_error(option->get_name() +
                        " is for a candidate: say which operator it is, with --op. A script"
                        " is run whole (its own options: after --)");
  return sanitize_script(options);
}

}  // namespace

Registered register_sanitize(CLI::App& root) {
  auto options = std::make_shared<SanitizeArguments>();
  CLI::App* command =
      root.add_subcommand("sanitize", "Look for races, uninitialised reads and the like in a candidate");
  command->footer(help_text("sanitize"));
  command->add_option("file", options->file, "the candidate, or without --op any script: .py")->required();
  command->add_option("arguments", options->arguments,
                      "without --op: the script's own; its options after --");
  command->add_option("--op", options->op, "operator that the candidate implements");
  command->add_option("--only", options->only, "one workload, by its id: s3");
  command->add_flag("--json", options->json, "the findings as JSON lines");
  command->add_flag("--all", options->all, "every finding whole, also those of the same kernel and kind");
  command->add_flag("--no-orders", options->no_orders, "leave out the runs in other program orders");
  command
      ->add_option("--float-tolerance", options->float_tolerance,
                   "how far f32 sums of atomics may differ between orders, relatively; 0: not at all")
      ->check(CLI::Range(0.0, 1.0));
  add_judge_options(*command, options->judge, {"smoke"});
  add_own_workload_options(*command, options->judge);
  add_library_option(*command, options->judge);
  return {command, [command, options] { return sanitize(*command, *options); }};
}

}  // namespace kgb::app
