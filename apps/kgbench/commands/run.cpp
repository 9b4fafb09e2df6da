// SPDX-License-Identifier: Apache-2.0
// kgbench run: a contestant over a suite, stored, resumable, with a table and a page at the end.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "campaign/campaign.hpp"
#include "command.hpp"
#include "model/generate.hpp"
#include "report/report.hpp"
#include "setup.hpp"

namespace kgb::app {
namespace {

std::atomic<bool> stop_asked{false};

extern "C" void on_interrupt(int) {
  // The second Ctrl-C ends the process at once: what is stored is whole at any moment.
  if (stop_asked.exchange(true)) ::_exit(kExitFault);
}

struct Options {
  std::string contestant = "experts", suite = "demo";
  std::filesystem::path out, resume;
  JudgeOptions judge;
};

std::string tier_text(const std::vector<Tier>& tiers) {
  std::vector<std::string> names;
  for (const Tier tier : tiers) names.emplace_back(name_of(tier));
  return join(names, ",");
}

constexpr std::string_view kLibrary = "library:";

// The library that a contestant is; none when it is none.
Result<std::optional<DeclaredLibrary>> library_named(const std::string& contestant, const Options& options,
                                                     const Catalogue& catalogue) {
  JudgeOptions judge = options.judge;
  if (contestant.starts_with(kLibrary)) {
    judge.library = contestant.substr(kLibrary.size());
    if (judge.library.empty())
      return user_error("library: names none. Use library:NAME (kgbench list --libraries)");
  }
  return library_of(judge, catalogue);
}

std::filesystem::path run_folder(const Options& options, const std::optional<DeclaredLibrary>& library,
                                 const std::string& created) {
  if (!options.out.empty()) return options.out;
  std::string name = options.contestant.substr(0, options.contestant.find(':'));
  if (library) name = library->site.name;
  const std::string stem = created.substr(0, 10) + "-" + name + "-" + options.suite;
  std::filesystem::path folder = std::filesystem::path("runs") / stem;
  std::error_code ignored;
  for (int n = 2; std::filesystem::exists(folder, ignored); ++n)
    folder = std::filesystem::path("runs") / (stem + "-" + std::to_string(n));
  return folder;
}

struct Prepared {
  Store store;
  RunInfo run;
  RunOptions options;
  std::filesystem::path folder;
  std::optional<DeclaredLibrary> library;
};

// A library's candidates are made in the run's folder; those of others lie where the contestant has them.
Result<std::vector<CandidateFile>> files_of(const Options& options,
                                            const std::optional<DeclaredLibrary>& library,
                                            const Catalogue& catalogue,
                                            const std::vector<const Operator*>& operators,
                                            const std::filesystem::path& folder) {
  if (library) return library_candidates(library->library, operators, folder / "candidates");
  KGB_TRY(CandidateSet candidates, candidates_of(options.contestant, catalogue, operators));
  for (const std::string& op : candidates.missing)
    std::fprintf(stderr, "  no candidate for %s\n", op.c_str());
  return std::move(candidates.files);
}

// A process killed before its run was written leaves a store without one, which is as good as none.
Status refuse_taken(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (!std::filesystem::exists(folder / "run.sqlite", ignored)) return ok_status();
  KGB_TRY(const Store store, Store::open_existing(folder / "run.sqlite"));
  KGB_TRY(const std::vector<RunInfo> runs, store.runs());
  if (runs.empty()) return ok_status();
  return user_error(folder.string() + " holds a run already. Go on with --resume " + folder.string() +
                    ", or name another --out");
}

Result<Prepared> begin(const Options& options, const ResolvedOptions& resolved, const Catalogue& catalogue) {
  KGB_TRY(const std::vector<const Operator*> operators, catalogue.suite(options.suite));
  KGB_TRY(std::optional<DeclaredLibrary> library, library_named(options.contestant, options, catalogue));
  RunInfo run;
  run.created = iso_utc(system_clock().wall());
  const std::filesystem::path folder = run_folder(options, library, run.created);
  KGB_CHECK(refuse_taken(folder));  // before a library's candidates are written into it
  KGB_TRY(const std::vector<CandidateFile> files, files_of(options, library, catalogue, operators, folder));
  KGB_CHECK(make_folders(folder));
  KGB_TRY(Store store, Store::open(folder / "run.sqlite"));
  run.id = folder.filename().string();
  run.status = "running";
  run.version = std::string(version());
  run.contestant = library ? library->contestant() : options.contestant;
  run.suite = options.suite;
  run.chip = resolved.chip;
  run.tiers = tier_text(resolved.tiers);
  run.tolerance = options.judge.tolerance;
  run.targets = join(resolved.targets, ",");
  run.seed = seed_text(resolved.seed);
  run.host = host_facts(library);
  std::vector<RunItem> items;
  for (const CandidateFile& file : files)
    items.push_back({0, file.op, 0, std::filesystem::absolute(file.path).string()});
  KGB_CHECK(store.begin_run(run, items));
  RunOptions how{request_of(options.judge, resolved), resolved.lanes, std::nullopt};
  if (library) how.library = library->library;
  return Prepared{std::move(store), run, how, folder, std::move(library)};
}

// What was asked for stands in the store; of the new command only the number of lanes counts.
Result<Prepared> resume(const Options& options, const ResolvedOptions& resolved, const Catalogue& catalogue) {
  KGB_TRY(Store store, Store::open_existing(options.resume / "run.sqlite"));
  KGB_TRY(const std::vector<RunInfo> runs, store.runs());
  if (runs.empty()) return user_error(options.resume.string() + " holds no run");
  const RunInfo& run = runs.back();
  if (run.chip != resolved.chip)
    return user_error("the run was begun on chip " + in_quotes(run.chip) + ", not " +
                      in_quotes(resolved.chip) + ". Go on with --chip " + run.chip);
  KGB_TRY(std::optional<DeclaredLibrary> library, library_named(run.contestant, options, catalogue));
  RunOptions options_again{request_of(options.judge, resolved), resolved.lanes, std::nullopt};
  if (library) options_again.library = library->library;
  JudgeRequest& again = options_again.request;
  again.tiers.clear();
  for (const std::string& name : split(run.tiers, ','))
    if (const std::optional<Tier> tier = tier_named(name)) again.tiers.push_back(*tier);
  again.targets = run.targets.empty() ? std::vector<std::string>() : split(run.targets, ',');
  again.seed = seed_from_text(run.seed).value_or(0);
  again.tolerance = run.tolerance;
  return Prepared{std::move(store), run, options_again, options.resume, std::move(library)};
}

Status finish(Prepared& prepared, const RunOutcome& outcome, double seconds) {
  const std::string now = iso_utc(system_clock().wall());
  KGB_CHECK(prepared.store.set_status(prepared.run.id, outcome.stopped ? "stopped" : "complete",
                                      outcome.stopped ? "" : now));
  KGB_TRY(const RunReport report, load_report(prepared.store));
  ReportStyle style;
  style.colour = wants_colour();
  for (const ReportRow& row : reports()) {
    if (row.name == "table") std::fputs(row.make(report, style).c_str(), stdout);
    if (row.name == "html")
      KGB_CHECK(write_file_atomic(prepared.folder / "report.html", row.make(report, {})));
  }
  std::printf("Judged %lld in %s.  Page: %s\nAgain: kgbench report %s\n",
              static_cast<long long>(outcome.judged), human_seconds(seconds).c_str(),
              (prepared.folder / "report.html").string().c_str(), prepared.folder.string().c_str());
  if (outcome.stopped)
    std::printf("Stopped. Go on: kgbench run --resume %s\n", prepared.folder.string().c_str());
  return ok_status();
}

Result<int> run(const Options& options) {
  KGB_TRY(const ResolvedOptions resolved, resolve(options.judge));
  KGB_TRY(const Catalogue catalogue, load_catalogue());
  KGB_TRY(Prepared prepared, options.resume.empty() ? begin(options, resolved, catalogue)
                                                    : resume(options, resolved, catalogue));
  // After the mistakes that a command line can hold: this starts interpreters.
  KGB_TRY(std::unique_ptr<Judge> judge, open_judge(options.judge, resolved.lanes, prepared.library));
  KGB_TRY(const std::vector<RunItem> pending, prepared.store.pending(prepared.run.id));
  KGB_TRY(const std::int64_t total, prepared.store.item_count(prepared.run.id));
  const std::string which = prepared.library ? " (" + prepared.library->site.version + ")" : "";
  std::fprintf(stderr, "kgbench %s  %s%s over suite %s (%lld candidates)  chip %s%s  run %s\n",
               std::string(version()).c_str(), prepared.run.contestant.c_str(), which.c_str(),
               prepared.run.suite.c_str(), static_cast<long long>(total), prepared.run.chip.c_str(),
               prepared.run.chip == "cpu" ? " (Triton VM)" : "", prepared.folder.string().c_str());
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  KGB_CHECK(prepared.store.set_status(prepared.run.id, "running", ""));
  Progress progress(total, total - static_cast<std::int64_t>(pending.size()), is_terminal(STDERR_FILENO));
  const auto start = std::chrono::steady_clock::now();
  KGB_TRY(const RunOutcome outcome,
          run_pending(prepared.store, *judge, prepared.run, prepared.options, progress, stop_asked));
  KGB_CHECK(finish(prepared, outcome,
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()));
  return outcome.stopped ? kExitFault : kExitPass;
}

}  // namespace

Registered register_run(CLI::App& root) {
  auto options = std::make_shared<Options>();
  CLI::App* command = root.add_subcommand("run", "Judge a contestant's candidates over a suite");
  command->footer(help_text("run"));
  command
      ->add_option("--contestant", options->contestant,
                   "experts, dir:PATH, library:NAME or library:NAME=PATH")
      ->capture_default_str();
  command->add_option("--suite", options->suite, "demo, aten, vllm, cublas, ms, mc, kernels, or a tag")
      ->capture_default_str();
  command->add_option("--out", options->out, "folder of the run (default: runs/DATE-CONTESTANT-SUITE)");
  command->add_option("--resume", options->resume, "go on with the run in this folder");
  add_judge_options(*command, options->judge, {"smoke", "hidden"});
  add_install_option(*command, options->judge);
  return {command, [options] { return run(*options); }};
}

}  // namespace kgb::app
