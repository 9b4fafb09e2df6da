// SPDX-License-Identifier: Apache-2.0
// The candidates that a run holds: where they lie in its folder, and how other runs take them over.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "judge/judge.hpp"
#include "store/store.hpp"

namespace kgb {

// "candidates/aten/softmax.py", with ".2" before the suffix for sample 2: in the form that dir:PATH reads,
// relative to the run's folder, so that a folder can be copied to another machine.
[[nodiscard]] std::string candidate_place(const std::string& op, int sample, const char* suffix = ".py");
[[nodiscard]] const char* suffix_of(const RunItem& item);  // of its language, by its file's name
// An item's file: as given, or in the run's folder.
[[nodiscard]] std::filesystem::path candidate_file(const std::filesystem::path& run_folder,
                                                   const RunItem& item);

// A stored run, open.
struct StoredRun {
  std::filesystem::path folder;
  Store store;
  RunInfo run;
  std::filesystem::path own{};  // where the run keeps what no other of its folder may: most often the folder
};
// The run of a folder. Of a folder that joins runs on several chips: the one on `chip`.
[[nodiscard]] Result<StoredRun> open_run(const std::filesystem::path& folder,
                                         const std::string& chip = {});  // to read
[[nodiscard]] Result<StoredRun> open_run_to_write(const std::filesystem::path& folder,
                                                  const std::string& chip);  // to go on with
// All of them, to read, each with a connection of its own.
[[nodiscard]] Result<std::vector<StoredRun>> open_runs(const std::filesystem::path& folder);
// Of a run on `chip`, where a folder joins several: "chips/h200", in the folder.
[[nodiscard]] std::filesystem::path chip_place(const std::string& chip);
// Refuses a chip that cannot be a folder's name: a store may come from anywhere.
Status refuse_chip_path(const std::filesystem::path& folder, const std::string& chip);

// One sample of a run with its text: as it was judged, or as it was generated where it was not.
struct StoredSample {
  RunItem item;
  std::string source;                    // empty: the contestant gave none
  std::optional<Evaluation> evaluation;  // none: generated and not judged
};
// In order of items. Items that have neither an evaluation nor a file yet are left out.
[[nodiscard]] Result<std::vector<StoredSample>> stored_samples(const StoredRun& run);

// Copies the ledger of those items that `to` has, too, found by operator and sample.
[[nodiscard]] Status copy_ledger(const StoredRun& from, const std::vector<RunItem>& items, Store& to,
                                 const std::string& run);

}  // namespace kgb
