// SPDX-License-Identifier: Apache-2.0
// Begins runs and takes them up again.
#include "run_setup.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "method/tuner.hpp"
#include "model/generate.hpp"

namespace kgb::app {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kLibrary = "library:";
constexpr std::string_view kReplay = "replay:";

std::string suite_of(const RunCommand& command) {
  return command.suite.empty() ? "demo" : command.suite;
}

std::string tier_text(const std::vector<Tier>& tiers) {
  std::vector<std::string> names;
  for (const Tier tier : tiers) names.emplace_back(name_of(tier));
  return join(names, ",");
}

// The library that a contestant is; none when it is none.
Result<std::optional<DeclaredLibrary>> library_named(const std::string& contestant, JudgeOptions judge,
                                                     const Catalogue& catalogue) {
  if (contestant.starts_with(kLibrary)) {
    judge.library = contestant.substr(kLibrary.size());
    if (judge.library.empty())
      return user_error("library: names none. Use library:NAME (kgbench list --libraries)");
  }
  return library_of(judge, catalogue);
}

// Where the candidates of a run come from; one of these.
struct Source {
  std::optional<DeclaredLibrary> library;
  std::optional<MethodContestant> method;
  std::optional<StoredRun> replayed;
};

Result<Source> source_of(const RunCommand& command, const std::string& chip, const Installation& installation,
                         const Catalogue& catalogue) {
  Source source;
  if (command.contestant.starts_with(kReplay)) {
    KGB_TRY(source.replayed, open_run(command.contestant.substr(kReplay.size()), chip));
    // A library's candidates stay ones that call it.
    KGB_TRY(source.library, library_named(source.replayed->run.contestant, command.judge, catalogue));
    return source;
  }
  KGB_TRY(source.method, method_named(command.contestant, command.method, installation));
  if (!source.method) {
    KGB_TRY(source.library, library_named(command.contestant, command.judge, catalogue));
  }
  return source;
}

fs::path run_folder(const RunCommand& command, const Source& source, const std::string& created) {
  // A trailing slash would leave the run without a name.
  if (!command.out.empty()) return command.out.has_filename() ? command.out : command.out.parent_path();
  std::string name = command.contestant.substr(0, command.contestant.find(':'));
  if (source.library && !source.replayed) name = source.library->site.name;
  if (source.method && !command.method.endpoint.model.empty()) {
    std::string model = command.method.endpoint.model;
    for (char& c : model)
      if (std::string_view("/:\\ ").find(c) != std::string_view::npos) c = '-';
    name += "-" + model;
  }
  const std::string stem = created.substr(0, 10) + "-" + name + "-" + suite_of(command);
  fs::path folder = fs::path("runs") / stem;
  std::error_code ignored;
  for (int n = 2; fs::exists(folder, ignored); ++n)
    folder = fs::path("runs") / (stem + "-" + std::to_string(n));
  return folder;
}

// A process killed before its run was written leaves a store without one, which is as good as none.
Status refuse_taken(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder / "run.sqlite", ignored)) return ok_status();
  KGB_TRY(const Store store, Store::open_existing(folder / "run.sqlite"));
  KGB_TRY(const std::vector<RunInfo> runs, store.runs());
  if (runs.empty()) return ok_status();
  return user_error(folder.string() + " holds a run already. Go on with --resume " + folder.string() +
                    ", or name another --out");
}

std::vector<const Operator*> all_of(const AskedOperators& asked) {
  std::vector<const Operator*> all = asked.sound;
  all.insert(all.end(), asked.broken.begin(), asked.broken.end());
  return all;
}

// -- items ------------------------------------------------------------------------------------------------

std::vector<RunItem> method_items(int samples, const std::vector<const Operator*>& operators) {
  std::vector<RunItem> items;
  // Sample by sample: a run that a budget ends has tried every operator as often as it could.
  for (int sample = 0; sample < samples; ++sample)
    for (const Operator* op : operators)
      items.push_back({0, op->name, sample, candidate_place(op->name, sample)});
  return items;
}

Result<std::vector<RunItem>> replayed_items(const StoredRun& run,
                                            const std::vector<const Operator*>& operators,
                                            const fs::path& folder) {
  std::set<std::string> wanted;
  for (const Operator* op : operators) wanted.insert(op->name);
  KGB_TRY(const std::vector<StoredSample> samples, stored_samples(run));
  std::vector<RunItem> items;
  for (const StoredSample& sample : samples) {
    if (!wanted.contains(sample.item.op)) continue;
    const fs::path place = candidate_place(sample.item.op, sample.item.sample, suffix_of(sample.item));
    KGB_CHECK(make_folders((folder / place).parent_path()));
    KGB_CHECK(write_file_atomic(folder / place, sample.source));
    items.push_back({0, sample.item.op, sample.item.sample, place.string(), sample.item.recorded,
                     sample.item.recorded_evidence});
  }
  if (items.empty()) return user_error(run.folder.string() + " holds no sample of the operators asked for");
  return items;
}

Result<std::vector<RunItem>> file_items(const RunCommand& command, const Source& source,
                                        const Catalogue& catalogue, const AskedOperators& asked,
                                        const fs::path& folder) {
  std::vector<CandidateFile> files;
  if (source.library) {
    // What calls the library is written from the card's entries.
    for (const Operator* op : asked.broken)
      std::fprintf(stderr, "  no candidate for %s, whose card is broken\n", op->name.c_str());
    KGB_TRY(files, library_candidates(source.library->library, asked.sound, folder / "candidates"));
  } else {
    KGB_TRY(CandidateSet candidates, candidates_of(command.contestant, catalogue, all_of(asked)));
    for (const std::string& op : candidates.missing)
      std::fprintf(stderr, "  no candidate for %s\n", op.c_str());
    files = std::move(candidates.files);
  }
  std::vector<RunItem> items;
  for (const CandidateFile& file : files)
    items.push_back({0, file.op, 0, fs::absolute(file.path).string(), file.recorded, file.recorded_evidence});
  return items;
}

Result<std::vector<RunItem>> items_of(const RunCommand& command, const Source& source,
                                      const Catalogue& catalogue, const AskedOperators& asked,
                                      const fs::path& folder) {
  if (source.method) {
    KGB_TRY(const std::vector<const Operator*> kept, with_seed(command.method.seed_kernel, all_of(asked)));
    return method_items(source.method->samples, kept);
  }
  if (source.replayed) return replayed_items(*source.replayed, all_of(asked), folder);
  return file_items(command, source, catalogue, asked, folder);
}

// -- the run's row ----------------------------------------------------------------------------------------

RunInfo info_of(const RunCommand& command, const Source& source, const ResolvedOptions& resolved) {
  RunInfo run;
  run.created = iso_utc(system_clock().wall());
  run.status = "running";
  run.version = std::string(version());
  run.contestant = command.contestant;
  if (source.library) run.contestant = source.library->contestant();
  if (source.replayed) run.contestant = source.replayed->run.contestant;
  run.suite = source.replayed && command.suite.empty() ? source.replayed->run.suite : suite_of(command);
  run.chip = resolved.chip;
  run.tiers = tier_text(resolved.tiers);
  run.tolerance = command.judge.tolerance;
  run.profile = name_of(command.judge.profile.value_or(Profile::careful));
  run.mode = command.judge.in_process ? "in-process" : "plan";
  run.against = command.judge.against;
  run.timing = command.judge.timing;
  run.targets = join(resolved.targets, ",");
  run.seed = seed_text(resolved.seed);
  run.host = host_facts(source.library);
  if (source.method) {
    run.model = command.method.endpoint.model;
    run.method = source.method->settings;
  } else if (source.replayed) {
    run.model = source.replayed->run.model;
    run.method = source.replayed->run.method;
  }
  return run;
}

std::set<std::string> operators_in(const std::vector<RunItem>& items) {
  std::set<std::string> names;
  for (const RunItem& item : items) names.insert(item.op);
  return names;
}

// Operators that `run` did not pass with any sample.
Result<std::set<std::string>> failed_in(const fs::path& folder, const std::string& chip) {
  KGB_TRY(const StoredRun run, open_run(folder, chip));
  KGB_TRY(const std::vector<RunItem> items, run.store.items(run.run.id));
  std::set<std::string> failed = operators_in(items);
  KGB_TRY(const std::vector<StoredEvaluation> evaluations, run.store.evaluations(run.run.id));
  for (const StoredEvaluation& evaluation : evaluations)
    if (evaluation.evaluation.verdict == Verdict::pass) failed.erase(evaluation.item.op);
  return failed;
}

Result<std::set<std::string>> names_of(const std::vector<std::string>& words, const Catalogue& catalogue) {
  std::set<std::string> names;
  for (const std::string& word : words) {
    if (const BrokenOperator* broken = catalogue.find_broken(word)) {
      names.insert(broken->op.name);
      continue;
    }
    KGB_TRY(const Operator* const op, catalogue.find(word));
    names.insert(op->name);
  }
  return names;
}

// Before anything is left out.
Result<AskedOperators> asked_for(const RunCommand& command, const Catalogue& catalogue,
                                 const std::string& chip) {
  AskedOperators asked;
  const bool replay = command.contestant.starts_with(kReplay);
  if (!command.suite.empty() || !command.operators.empty() || (!replay && command.only_failed.empty())) {
    KGB_TRY(asked.sound, chosen(OperatorChoice{suite_of(command), command.operators}, catalogue));
    if (command.operators.empty())
      for (const BrokenOperator* one : catalogue.broken_in(suite_of(command)))
        asked.broken.push_back(&one->op);
    return asked;
  }
  KGB_TRY(const StoredRun run,
          open_run(replay ? fs::path(command.contestant.substr(kReplay.size())) : command.only_failed, chip));
  KGB_TRY(const std::vector<RunItem> items, run.store.items(run.run.id));
  for (const std::string& name : operators_in(items)) {
    if (const BrokenOperator* broken = catalogue.find_broken(name)) {
      asked.broken.push_back(&broken->op);
      continue;
    }
    KGB_TRY(const Operator* const op, catalogue.find(name));
    asked.sound.push_back(op);
  }
  return asked;
}

}  // namespace

Result<std::vector<const Operator*>> with_seed(const std::string& given,
                                               const std::vector<const Operator*>& operators) {
  if (given.empty()) return operators;
  method::TunerSettings settings;
  settings.seed_kernel = seed_place(given);
  std::error_code ignored;
  if (!fs::is_directory(settings.seed_kernel, ignored)) {
    if (operators.size() == 1) return operators;
    return user_error("--seed-kernel FILE is of one operator: name it with --op, or give dir:PATH");
  }
  std::vector<const Operator*> kept;
  for (const Operator* op : operators) {
    if (method::seed_file(settings, *op).ok())
      kept.push_back(op);
    else
      std::fprintf(stderr, "  no seed kernel for %s\n", op->name.c_str());
  }
  if (kept.empty())
    return user_error(in_quotes(given) +
                      " has no seed kernel for any operator asked for. Files are named <source>/<op>.py or"
                      " <op>.py, for example aten/softmax.py");
  return kept;
}

Result<AskedOperators> operators_of(const RunCommand& command, const Catalogue& catalogue,
                                    const std::string& chip) {
  KGB_TRY(AskedOperators asked, asked_for(command, catalogue, chip));
  KGB_TRY(const std::set<std::string> excluded, names_of(command.exclude, catalogue));
  std::set<std::string> failed;
  if (!command.only_failed.empty()) {
    KGB_TRY(failed, failed_in(command.only_failed, chip));
  }
  for (std::vector<const Operator*>* operators : {&asked.sound, &asked.broken})
    std::erase_if(*operators, [&](const Operator* op) {
      return excluded.contains(op->name) || (!command.only_failed.empty() && !failed.contains(op->name));
    });
  if (!asked.sound.empty()) return asked;
  if (!asked.broken.empty())
    return user_error("the card of every operator asked for is broken: kgbench list --check");
  return user_error(command.only_failed.empty()
                        ? "no operator is left after --exclude"
                        : command.only_failed.string() + " passed every operator asked for");
}

Result<PreparedRun> begin_run(const RunCommand& command, const ResolvedOptions& resolved,
                              const Installation& installation, const Catalogue& catalogue) {
  KGB_TRY(const AskedOperators operators, operators_of(command, catalogue, resolved.chip));
  KGB_TRY(Source source, source_of(command, resolved.chip, installation, catalogue));
  RunInfo run = info_of(command, source, resolved);
  const fs::path folder = run_folder(command, source, run.created);
  KGB_CHECK(refuse_taken(folder));  // before candidates are written into it
  KGB_TRY(const std::vector<RunItem> items, items_of(command, source, catalogue, operators, folder));
  KGB_CHECK(make_folders(folder));
  KGB_TRY(Store store, Store::open(folder / "run.sqlite"));
  run.id = folder.filename().string();
  KGB_CHECK(store.begin_run(run, items));
  if (source.replayed) {
    KGB_TRY(const std::vector<RunItem> theirs, source.replayed->store.items(source.replayed->run.id));
    KGB_CHECK(copy_ledger(*source.replayed, theirs, store, run.id));
  }
  RunOptions how;
  how.request = request_of(command.judge, resolved);
  how.lanes = resolved.lanes;
  how.folder = folder;
  if (source.library) how.library = source.library->library;
  if (source.method) {
    KGB_TRY(how.producer, producer_of(*source.method, command.method, installation, folder));
  }
  return PreparedRun{std::move(store), run, how, std::move(source.library), folder};
}

namespace {

// What a resumed run was begun with holds; an option that says otherwise is a mistake.
Status same_mode(const JudgeOptions& asked, const RunInfo& run) {
  if (asked.in_process && run.mode != "in-process")
    return user_error("the run was begun without --in-process. Go on without it, or begin another run");
  if (!asked.against.empty() && asked.against != run.against)
    return user_error("the run was begun " +
                      (run.against.empty() ? "without --against" : "with --against " + run.against) +
                      ". Go on without --against, or begin another run");
  if (!asked.timing.empty() && asked.timing != run.timing)
    return user_error("the run was begun without --timing published. Go on without it, or begin another run");
  return ok_status();
}

}  // namespace

Result<PreparedRun> resume_run(RunCommand command, const ResolvedOptions& resolved,
                               const Installation& installation, const Catalogue& catalogue) {
  KGB_TRY(StoredRun stored, open_run_to_write(command.resume, resolved.chip));
  const RunInfo run = stored.run;
  if (run.chip != resolved.chip)
    return user_error("the run was begun on chip " + in_quotes(run.chip) + ", not " +
                      in_quotes(resolved.chip) + ". Go on with --chip " + run.chip);
  const std::optional<Profile> profile = profile_named(run.profile);
  if (!profile)
    return user_error("the run was begun with profile " + in_quotes(run.profile) +
                      ", which this kgbench does not know. Update kgbench");
  if (command.judge.profile && *command.judge.profile != *profile)
    return user_error("the run was begun with --profile " + run.profile + ", not " +
                      std::string(name_of(*command.judge.profile)) +
                      ". Go on without --profile, or begin another run");
  KGB_CHECK(same_mode(command.judge, run));
  RunOptions how;
  how.request = request_of(command.judge, resolved);
  how.lanes = resolved.lanes;
  how.folder = command.resume;
  KGB_TRY(std::optional<DeclaredLibrary> library, library_named(run.contestant, command.judge, catalogue));
  if (library) how.library = library->library;
  KGB_TRY(const std::vector<RunItem> pending, stored.store.pending(run.id));
  const bool found = std::all_of(pending.begin(), pending.end(), [&](const RunItem& item) {
    std::error_code ignored;
    return fs::exists(candidate_file(command.resume, item), ignored);
  });
  if (run.by_method()) KGB_CHECK(restore(command.method, run));
  // Where every candidate is there (a replay), nobody need be asked.
  if (run.by_method() && !command.method.judge_only && !found) {
    KGB_TRY(const std::optional<MethodContestant> method,
            method_named(run.contestant, command.method, installation));
    if (method) {
      KGB_TRY(how.producer, producer_of(*method, command.method, installation, stored.own));
    }
  }
  how.request.tiers.clear();
  for (const std::string& name : split(run.tiers, ','))
    if (const std::optional<Tier> tier = tier_named(name)) how.request.tiers.push_back(*tier);
  how.request.targets = run.targets.empty() ? std::vector<std::string>() : split(run.targets, ',');
  how.request.seed = seed_from_text(run.seed).value_or(0);
  how.request.tolerance = run.tolerance;
  how.request.profile = *profile;
  how.request.in_process = run.mode == "in-process";
  how.request.against = run.against;
  how.request.published = run.timing == "published";
  return PreparedRun{std::move(stored.store), run, how, std::move(library), std::move(stored.own)};
}

}  // namespace kgb::app
