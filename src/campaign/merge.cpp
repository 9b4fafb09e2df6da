// SPDX-License-Identifier: Apache-2.0
// Joins runs.
#include "campaign/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "base/version.hpp"

namespace kgb {
namespace {

using Place = std::pair<std::string, int>;  // operator, sample

struct Part {
  const StoredRun* from = nullptr;
  StoredSample sample;
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

Result<std::map<Place, Part>> collect(const std::vector<StoredRun>& runs) {
  std::map<Place, Part> parts;
  for (const StoredRun& run : runs) {
    KGB_CHECK(same_protocol(runs.front(), run));
    KGB_TRY(std::vector<StoredSample> samples, stored_samples(run));
    for (StoredSample& sample : samples) {
      const Place place{sample.item.op, sample.item.sample};
      const auto found = parts.find(place);
      if (found == parts.end()) {
        parts.emplace(place, Part{&run, std::move(sample)});
        continue;
      }
      if (!same_result(found->second.sample, sample))
        return user_error(
            fmt::format("{} and {} both hold {} sample {}, with different results. Join runs of other"
                        " operators or samples",
                        found->second.from->folder.string(), run.folder.string(), place.first, place.second));
      if (!found->second.sample.evaluation && sample.evaluation)
        found->second = Part{&run, std::move(sample)};
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
  for (const auto& [place, part] : parts) {
    const std::string candidate = candidate_place(place.first, place.second);
    KGB_CHECK(make_folders((folder / candidate).parent_path()));
    KGB_CHECK(write_file_atomic(folder / candidate, part.sample.source));
    items.push_back({0, place.first, place.second, candidate});
  }
  KGB_CHECK(store.begin_run(run, items));
  KGB_TRY(const std::vector<RunItem> written, store.items(run.id));
  Merged merged;
  merged.items = static_cast<std::int64_t>(written.size());
  for (const RunItem& item : written) {
    const StoredSample& sample = parts.at({item.op, item.sample}).sample;
    if (!sample.evaluation) {
      ++merged.open;
      continue;
    }
    KGB_CHECK(store.record(item, *sample.evaluation, sample.source));
    ++merged.evaluations;
  }
  for (const StoredRun& from : runs) KGB_CHECK(copy_ledger(from, store, run.id));
  if (merged.open == 0) KGB_CHECK(store.set_status(run.id, "complete", run.created));
  return merged;
}

}  // namespace kgb
