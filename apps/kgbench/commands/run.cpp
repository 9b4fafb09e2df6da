// SPDX-License-Identifier: Apache-2.0
// kgbench run: a contestant over a suite, stored, resumable, with a table and a page at the end.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "campaign/campaign.hpp"
#include "catalogue/texts.hpp"
#include "command.hpp"
#include "interrupt.hpp"
#include "report/report.hpp"
#include "run_setup.hpp"
#include "warm_judge.hpp"

namespace kgb::app {
namespace {

constexpr std::size_t kMostOpen = 5;

// What was not tried, or not to its end, and why.
void print_open(const RunOutcome& outcome) {
  for (std::size_t i = 0; i < std::min(outcome.open.size(), kMostOpen); ++i)
    std::printf("Open: %s sample %d: %s\n", outcome.open[i].op.c_str(), outcome.open[i].sample,
                outcome.open[i].why.c_str());
  if (outcome.open.size() > kMostOpen) std::printf("Open: and %zu more\n", outcome.open.size() - kMostOpen);
}

// A full tier that is not the whole published grid says so: a few operators by name, more by their number.
Status print_thinned(const PreparedRun& prepared, const Catalogue& catalogue) {
  constexpr std::size_t kTold = 8;
  const std::vector<std::string> tiers = split(prepared.run.tiers, ',');
  if (std::find(tiers.begin(), tiers.end(), "full") == tiers.end()) return ok_status();
  KGB_TRY(const std::vector<RunItem> items, prepared.store.items(prepared.run.id));
  std::set<std::string> names;
  for (const RunItem& item : items) names.insert(item.op);
  std::vector<const Operator*> thinned;
  for (const Operator& op : catalogue.operators())
    if (names.contains(op.name) && !op.thinned.empty()) thinned.push_back(&op);
  if (thinned.empty()) return ok_status();
  std::printf("Thinned: the full tier of %zu of %zu operators is less than the published grid%s\n",
              thinned.size(), names.size(),
              thinned.size() > kTold ? " (kgbench list --stats --thinned)" : ":");
  if (thinned.size() <= kTold) std::fputs(thinned_text(thinned).c_str(), stdout);
  return ok_status();
}

Status finish(PreparedRun& prepared, const RunOutcome& outcome, const Catalogue& catalogue, double seconds) {
  const std::filesystem::path& folder = prepared.options.folder;
  const std::string now = iso_utc(system_clock().wall());
  const bool generated_only = prepared.options.producer && prepared.options.producer->generate_only;
  const bool complete = !outcome.stopped && !generated_only;
  KGB_CHECK(
      prepared.store.set_status(prepared.run.id, complete ? "complete" : "stopped", complete ? now : ""));
  if (generated_only) {
    std::printf("Generated %lld in %s.\n", static_cast<long long>(outcome.generated),
                human_seconds(seconds).c_str());
    print_open(outcome);
    std::printf("Judge them: kgbench run --resume %s --judge-only\n", folder.string().c_str());
    return ok_status();
  }
  KGB_TRY(RunReport report, load_report(prepared.store, prepared.run.id));
  report.families = families_of(catalogue);
  ReportStyle style;
  style.colour = wants_colour();
  for (const ReportRow& row : reports()) {
    if (row.name == "table") std::fputs(row.make(report, style).c_str(), stdout);
    if (row.name == "html") KGB_CHECK(write_file_atomic(prepared.own / "report.html", row.make(report, {})));
  }
  std::printf("Judged %lld in %s.  Page: %s\nAgain: kgbench report %s\n",
              static_cast<long long>(outcome.judged), human_seconds(seconds).c_str(),
              (prepared.own / "report.html").string().c_str(), folder.string().c_str());
  print_open(outcome);
  KGB_CHECK(print_thinned(prepared, catalogue));
  if (outcome.stopped) std::printf("Stopped. Go on: kgbench run --resume %s\n", folder.string().c_str());
  return ok_status();
}

void announce(const PreparedRun& prepared, std::int64_t total) {
  const RunInfo& run = prepared.run;
  const std::string which = prepared.library    ? " (" + prepared.library->site.version + ")"
                            : run.model.empty() ? ""
                                                : " with " + run.model;
  std::fprintf(stderr, "kgbench %s  %s%s over suite %s (%lld candidates)  chip %s%s  run %s\n",
               std::string(version()).c_str(), run.contestant.c_str(), which.c_str(), run.suite.c_str(),
               static_cast<long long>(total), run.chip.c_str(), run.chip == "cpu" ? " (Triton VM)" : "",
               prepared.options.folder.string().c_str());
}

Result<int> dry_run(const RunCommand& command, const ResolvedOptions& resolved,
                    const Installation& installation, const Catalogue& catalogue) {
  KGB_TRY(const AskedOperators asked, operators_of(command, catalogue, resolved.chip));
  std::vector<const Operator*> operators = asked.sound;
  KGB_TRY(const std::optional<MethodContestant> method,
          method_named(command.contestant, command.method, installation));
  if (method) {
    KGB_TRY(operators, with_seed(command.method.seed_kernel, operators));
  }
  if (!method) {
    std::printf("%zu operators on chip %s: no model is asked\n", operators.size(), resolved.chip.c_str());
    return kExitPass;
  }
  KGB_TRY(const std::string text,
          plan_text(*method, command.method, installation, catalogue, operators, resolved.chip));
  std::fputs(text.c_str(), stdout);
  return kExitPass;
}

// The operators of a run that needs no others; empty: all.
std::vector<std::string> told_operators(const RunCommand& command) {
  const bool own = command.contestant == "experts" || command.contestant.starts_with("dir:");
  const bool plain = command.resume.empty() && command.only_failed.empty() && command.exclude.empty();
  return own && plain ? command.operators : std::vector<std::string>();
}

Result<int> run(RunCommand command, CLI::App& app) {
  command.method.install = command.judge.install;
  command.method.allow_weak_lock = command.judge.allow_weak_lock;
  KGB_TRY(const Installation installation, find_installation());
  for (const std::string& difference :
       apply_protocol(app, command.contestant, installation, command.judge, command.method))
    std::fprintf(stderr, "  differs from the published protocol: %s\n", difference.c_str());
  KGB_TRY(const ResolvedOptions resolved, resolve(command.judge));
  KGB_TRY(const Catalogue catalogue, load_catalogue(told_operators(command)));
  if (command.method.dry_run) return dry_run(command, resolved, installation, catalogue);
  if (command.method.judge_only && command.resume.empty())
    return user_error("--judge-only goes on with a run: name it with --resume RUN");
  KGB_TRY(PreparedRun prepared, command.resume.empty()
                                    ? begin_run(command, resolved, installation, catalogue)
                                    : resume_run(command, resolved, installation, catalogue));
  KGB_TRY(const std::vector<RunItem> pending, prepared.store.pending(prepared.run.id));
  // After the mistakes that a command line can hold: this starts interpreters. What only generates may do
  // without: a machine that reaches models need have neither torch nor Triton.
  WarmJudge judge(command.judge, resolved.lanes, catalogue, prepared.library);
  if (!command.method.generate_only && !pending.empty()) KGB_CHECK(judge.get());
  KGB_TRY(const std::int64_t total, prepared.store.item_count(prepared.run.id));
  announce(prepared, total);
  const std::atomic<bool>& stop_asked = stop_on_interrupt();
  KGB_CHECK(prepared.store.set_status(prepared.run.id, "running", ""));
  Progress progress(total, total - static_cast<std::int64_t>(pending.size()), is_terminal(STDERR_FILENO));
  const auto start = std::chrono::steady_clock::now();
  KGB_TRY(const RunOutcome outcome, run_pending(
                                        prepared.store, catalogue, [&judge] { return judge.get(); },
                                        prepared.run, prepared.options, progress, stop_asked));
  KGB_CHECK(finish(prepared, outcome, catalogue,
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
  return outcome.stopped ? kExitFault : kExitPass;
}

}  // namespace

Registered register_run(CLI::App& root) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = root.add_subcommand("run", "Judge a contestant's candidates over a suite");
  command->footer(help_text("run"));
  command
      ->add_option(
          "--contestant", options->contestant,
          "experts, dir:PATH, library:NAME, replay:RUN, agent:NAME, or a method: one-shot, best-of-k, "
          "union-of-k, repair")
      ->capture_default_str();
  command->add_option(
      "--suite", options->suite,
      "demo, aten, vllm, cublas, ms, mc, kernels, or a tag (default: demo; what the run of replay: or "
      "--only-failed holds)");
  command->add_option("--op,--operators", options->operators, "these operators alone; several with commas")
      ->delimiter(',');
  command->add_option("--exclude", options->exclude, "without these operators; several with commas")
      ->delimiter(',');
  command->add_option("--only-failed", options->only_failed, "operators that this run did not pass");
  command->add_option("--out", options->out, "folder of the run (default: runs/DATE-CONTESTANT-SUITE)");
  command->add_option("--resume", options->resume, "go on with the run in this folder");
  add_judge_options(*command, options->judge, {"smoke", "hidden"});
  add_profile_option(*command, options->judge);
  add_mode_options(*command, options->judge);
  add_method_options(*command, options->method);
  add_install_option(*command, options->judge);
  return {command, [options, command] { return run(*options, *command); }};
}

}  // namespace kgb::app
