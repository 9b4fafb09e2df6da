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

using Runs = std::vector<const StoredRun*>;

struct Part {
  const StoredRun* from = nullptr;
  RunItem item;
  std::optional<StoredSample> sample;  // none: not generated yet
  [[nodiscard]] int progress() const { return !sample ? 0 : sample->evaluation ? 2 : 1; }
};

Status same_protocol(const StoredRun& a, const StoredRun& b) {
  const std::pair<const char*, std::string RunInfo::*> facts[] = {
      {"contestant", &RunInfo::contestant}, {"model", &RunInfo::model},
      {"method", &RunInfo::method},         {"tiers", &RunInfo::tiers},
      {"tolerance", &RunInfo::tolerance},   {"targets", &RunInfo::targets},
      {"profile", &RunInfo::profile},       {"mode", &RunInfo::mode},
      {"against", &RunInfo::against},       {"timing", &RunInfo::timing}};
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
Result<std::map<Place, Part>> collect(const Runs& runs) {
  std::map<Place, Part> parts;
  for (const StoredRun* from : runs) {
    const StoredRun& run = *from;
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

// What one chip's runs become.
struct Joined {
  RunInfo run;
  std::filesystem::path place;  // of the candidates, in the folder
  std::map<Place, Part> parts;
};

Result<Joined> joined(const Runs& runs, const std::string& name) {
  Joined one{runs.front()->run, {}, {}};
  one.run.id = name;
  one.run.status = "stopped";
  if (runs.size() > 1) {
    one.run.created = iso_utc(system_clock().wall());
    one.run.finished.clear();  // no start and end are theirs together
    one.run.version = std::string(version());
  }
  for (const StoredRun* other : runs)
    if (other->run.suite != one.run.suite) one.run.suite = "merged";
  KGB_TRY(one.parts, collect(runs));
  return one;
}

Result<std::vector<Joined>> by_chip(const std::vector<StoredRun>& runs, const std::string& name) {
  std::map<std::string, Runs> chips;
  for (const StoredRun& run : runs) {
    KGB_CHECK(same_protocol(runs.front(), run));
    chips[run.run.chip].push_back(&run);
  }
  std::vector<Joined> all;
  for (const auto& [chip, theirs] : chips) {
    const bool alone = chips.size() == 1;
    if (!alone) KGB_CHECK(refuse_chip_path(theirs.front()->folder, chip));
    KGB_TRY(Joined one, joined(theirs, alone ? name : name + "@" + chip));
    if (!alone) one.place = chip_place(chip);
    all.push_back(std::move(one));
  }
  return all;
}

Status write(const Joined& one, const std::filesystem::path& folder, Store& store, Merged& merged) {
  std::vector<RunItem> items;
  std::map<const StoredRun*, std::vector<RunItem>> taken;  // from which run which items
  for (const auto& [place, part] : one.parts) {
    const std::filesystem::path candidate =
        one.place / candidate_place(place.first, place.second, suffix_of(part.item));
    items.push_back(
        {0, place.first, place.second, candidate.string(), part.item.recorded, part.item.recorded_evidence});
    taken[part.from].push_back(part.item);
    if (!part.sample) continue;
    KGB_CHECK(make_folders((folder / candidate).parent_path()));
    KGB_CHECK(write_file_atomic(folder / candidate, part.sample->source));
  }
  KGB_CHECK(store.begin_run(one.run, items));
  KGB_TRY(const std::vector<RunItem> written, store.items(one.run.id));
  std::int64_t open = 0;
  for (const RunItem& item : written) {
    const Part& part = one.parts.at({item.op, item.sample});
    if (!part.sample || !part.sample->evaluation) {
      ++open;
      continue;
    }
    KGB_CHECK(store.record(item, *part.sample->evaluation, part.sample->source));
    ++merged.evaluations;
  }
  merged.items += static_cast<std::int64_t>(written.size());
  merged.open += open;
  for (const auto& [from, theirs] : taken) KGB_CHECK(copy_ledger(*from, theirs, store, one.run.id));
  return open > 0 ? ok_status() : store.set_status(one.run.id, "complete", one.run.finished);
}

}  // namespace

Result<Merged> merge_runs(const std::vector<StoredRun>& runs, const std::filesystem::path& folder) {
  KGB_TRY(const std::vector<Joined> chips, by_chip(runs, folder.filename().string()));
  KGB_CHECK(make_folders(folder));
  KGB_TRY(Store store, Store::open(folder / "run.sqlite"));
  Merged merged;
  merged.chips = static_cast<std::int64_t>(chips.size());
  for (const Joined& one : chips) KGB_CHECK(write(one, folder, store, merged));
  return merged;
}

}  // namespace kgb
