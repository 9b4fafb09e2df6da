// SPDX-License-Identifier: Apache-2.0
// Joins runs.
#include "campaign/merge.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace kgb {
namespace {

using Place = std::pair<std::string, int>;  // operator, sample

struct Part {
  const StoredRun* from = nullptr;
  RunItem item;
  std::optional<StoredSample> sample;  // none: not generated yet
  [[nodiscard]] int progress() const { return !sample ? 0 : sample->evaluation ? 2 : 1; }
};

Status same_protocol(const StoredRun& a, const StoredRun& b) {
  const std::pair<const char*, std::string RunInfo::*> facts[] = {
      {"contestant", &RunInfo::contestant}, {"model", &RunInfo::model},
      {"method", &RunInfo::method},         {"chip", &RunInfo::chip},
      {"tiers", &RunInfo::tiers},           {"tolerance", &RunInfo::tolerance},
      {"targets", &RunInfo::targets}};
  for (const auto& [name, fact] : facts) {
    if (a.run.*fact == b.run.*fact) continue;
    return user_error(fmt::format(
        "{} and {} cannot be joined: their {} differs ({} and {}). kgbench compare takes both as"
        " they are",
        a.folder.string(), b.folder.string(), name, in_quotes(a.run.*fact), in_quotes(b.run.*fact)));
  }
  return ok_status();
}

bool same_result(const StoredSample& a, const StoredSample& b) {
  if (a.source != b.source) return false;
  return !a.evaluation || !b.evaluation || a.evaluation->verdict == b.evaluation->verdict;
}

Result<std::vector<Part>> parts_of(const StoredRun& run) {
  KGB_TRY(const std::vector<RunItem> items, run.store.items(run.run.id));
  KGB_TRY(std::vector<StoredSample> samples, stored_samples(run));
  std::map<std::int64_t, StoredSample*> by_item;
  for (StoredSample& sample : samples) by_item[sample.item.id] = &sample;
  std::vector<Part> parts;
  for (const RunItem& item : items) {
    Part part{&run, item, std::nullopt};
    if (const auto found = by_item.find(item.id); found != by_item.end())
      part.sample = std::move(*found->second);
    parts.push_back(std::move(part));
  }
  return parts;
}

// Of an item that several runs hold, the one that got furthest.
Result<std::map<Place, Part>> collect(const std::vector<StoredRun>& runs) {
  std::map<Place, Part> parts;
  for (const StoredRun& run : runs) {
    KGB_CHECK(same_protocol(runs.front(), run));
    KGB_TRY(std::vector<Part> more, parts_of(run));
    for (Part& part : more) {
      const Place place{part.item.op, part.item.sample};
      const auto [held, fresh] = parts.try_emplace(place, part);
      if (fresh) continue;
      if (held->second.sample && part.sample && !same_result(*held->second.sample, *part.sample))
        return user_error(
            fmt::format("{} and {} both hold {} sample {}, with different results. Join runs of other"
                        " operators or samples",
                        held->second.from->folder.string(), run.folder.string(), place.first, place.second));
      if (part.progress() > held->second.progress()) held->second = std::move(part);
    }
  }
  return parts;
}

RunInfo joined(const std::vector<StoredRun>& runs, const std::filesystem::path& folder) {
  RunInfo run = runs.front().run;
  run.id = folder.filename().string();
  run.created = iso_utc(system_clock().wall());
  run.version = std::string(version());
  for (const StoredRun& other : runs)
    if (other.run.suite != run.suite) run.suite = "merged";
  return run;
}

}  // namespace

Result<Merged> merge_runs(const std::vector<StoredRun>& runs, const std::filesystem::path& folder) {
  KGB_TRY(const auto parts, collect(runs));
  KGB_CHECK(make_folders(folder));
  KGB_TRY(Store store, Store::open(folder / "run.sqlite"));
  RunInfo run = joined(runs, folder);
  run.status = "stopped";
  std::vector<RunItem> items;
  std::map<const StoredRun*, std::vector<RunItem>> taken;  // from which run which items
  for (const auto& [place, part] : parts) {
    const std::string candidate =
        candidate_place(place.first, place.second, is_native(part.item) ? ".cpp" : ".py");
    items.push_back(
        {0, place.first, place.second, candidate, part.item.recorded, part.item.recorded_evidence});
    taken[part.from].push_back(part.item);
    if (!part.sample) continue;
    KGB_CHECK(make_folders((folder / candidate).parent_path()));
    KGB_CHECK(write_file_atomic(folder / candidate, part.sample->source));
  }
  KGB_CHECK(store.begin_run(run, items));
  KGB_TRY(const std::vector<RunItem> written, store.items(run.id));
  Merged merged;
  merged.items = static_cast<std::int64_t>(written.size());
  for (const RunItem& item : written) {
    const Part& part = parts.at({item.op, item.sample});
    if (!part.sample || !part.sample->evaluation) {
      ++merged.open;
      continue;
    }
    KGB_CHECK(store.record(item, *part.sample->evaluation, part.sample->source));
    ++merged.evaluations;
  }
  for (const auto& [from, theirs] : taken) KGB_CHECK(copy_ledger(*from, theirs, store, run.id));
  if (merged.open == 0) KGB_CHECK(store.set_status(run.id, "complete", run.created));
  return merged;
}

}  // namespace kgb
