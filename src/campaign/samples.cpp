// SPDX-License-Identifier: Apache-2.0
// Reads the candidates of stored runs.
#include "campaign/samples.hpp"

#include <map>
#include <utility>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/operator_name.hpp"

namespace kgb {
namespace {

namespace fs = std::filesystem;

using Place = std::pair<std::string, int>;  // operator, sample

Result<std::vector<RunInfo>> runs_in(const Store& store, const fs::path& folder) {
  KGB_TRY(std::vector<RunInfo> runs, store.runs());
  if (runs.empty())
    return user_error(folder.string() + " holds no run. Name the folder that kgbench run printed");
  if (runs.size() > 1)
    for (const RunInfo& run : runs) KGB_CHECK(refuse_chip_path(folder, run.chip));
  return runs;
}

Result<StoredRun> run_on(const fs::path& folder, Result<Store> opened, const std::string& chip) {
  KGB_TRY(Store store, std::move(opened));
  KGB_TRY(const std::vector<RunInfo> runs, runs_in(store, folder));
  if (runs.size() == 1) return StoredRun{folder, std::move(store), runs.front(), folder};
  std::vector<std::string> chips;
  for (const RunInfo& run : runs) {
    if (run.chip == chip) return StoredRun{folder, std::move(store), run, folder / chip_place(chip)};
    chips.push_back(run.chip);
  }
  return user_error(folder.string() + " joins runs on the chips " + join(chips, ", ") + " and none on " +
                    in_quotes(chip) + ". Use one of them with --chip, or a run that was joined");
}

}  // namespace

const char* suffix_of(const RunItem& item) {
  return suffix_of(language_of(item.candidate));
}

std::string candidate_place(const std::string& op, int sample, const char* suffix) {
  const std::string number = sample == 0 ? "" : "." + std::to_string(sample);
  return "candidates/" + candidate_name(op, number + suffix);
}

fs::path candidate_file(const fs::path& run_folder, const RunItem& item) {
  const fs::path path = item.candidate;
  return path.is_absolute() ? path : run_folder / path;
}

fs::path chip_place(const std::string& chip) {
  return fs::path("chips") / chip;
}

Status refuse_chip_path(const fs::path& folder, const std::string& chip) {
  const fs::path name = chip;
  if (!name.empty() && name == name.filename() && name != "." && name != "..") return ok_status();
  return user_error(folder.string() + " was judged on " + in_quotes(chip) + ", which is no name of a chip");
}

Result<StoredRun> open_run(const fs::path& folder, const std::string& chip) {
  return run_on(folder, Store::open_to_read(folder / "run.sqlite"), chip);
}

Result<StoredRun> open_run_to_write(const fs::path& folder, const std::string& chip) {
  return run_on(folder, Store::open_existing(folder / "run.sqlite"), chip);
}

Result<std::vector<StoredRun>> open_runs(const fs::path& folder) {
  KGB_TRY(const Store store, Store::open_to_read(folder / "run.sqlite"));
  KGB_TRY(const std::vector<RunInfo> runs, runs_in(store, folder));
  std::vector<StoredRun> opened;
  for (const RunInfo& info : runs) {
    KGB_TRY(StoredRun run, open_run(folder, info.chip));
    opened.push_back(std::move(run));
  }
  return opened;
}

Result<std::vector<StoredSample>> stored_samples(const StoredRun& run) {
  std::vector<StoredSample> samples;
  KGB_TRY(std::vector<StoredEvaluation> evaluations, run.store.evaluations(run.run.id));
  std::map<std::int64_t, StoredEvaluation*> by_item;
  for (StoredEvaluation& evaluation : evaluations) by_item[evaluation.item.id] = &evaluation;
  KGB_TRY(const std::vector<RunItem> items, run.store.items(run.run.id));
  for (const RunItem& item : items) {
    if (const auto found = by_item.find(item.id); found != by_item.end()) {
      samples.push_back({item, std::move(found->second->source), std::move(found->second->evaluation)});
      continue;
    }
    const fs::path file = candidate_file(run.folder, item);
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) continue;
    KGB_TRY(std::string source, read_file(file, kMaxCandidateBytes));
    samples.push_back({item, std::move(source), std::nullopt});
  }
  return samples;
}

Status copy_ledger(const StoredRun& from, const std::vector<RunItem>& items, Store& to,
                   const std::string& run) {
  std::map<Place, std::int64_t> ours;
  KGB_TRY(const std::vector<RunItem> written, to.items(run));
  for (const RunItem& item : written) ours[{item.op, item.sample}] = item.id;
  std::map<std::int64_t, std::int64_t> item_of;
  for (const RunItem& item : items)
    if (const auto found = ours.find({item.op, item.sample}); found != ours.end())
      item_of[item.id] = found->second;
  KGB_TRY(std::vector<Attempt> attempts, from.store.attempts(from.run.id));
  for (Attempt& attempt : attempts) {
    const auto found = item_of.find(attempt.item);
    if (found == item_of.end()) continue;
    attempt.item = found->second;
    KGB_CHECK(to.record_attempt(attempt));
  }
  KGB_TRY(std::vector<ModelCall> calls, from.store.calls(from.run.id));
  for (ModelCall& call : calls) {
    const auto found = item_of.find(call.item);
    if (found == item_of.end()) continue;
    call.item = found->second;
    KGB_CHECK(to.record_call(call));
  }
  return ok_status();
}

}  // namespace kgb
