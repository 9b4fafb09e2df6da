// SPDX-License-Identifier: Apache-2.0
// Finds the candidate files of the contestants that need no model.
#include "campaign/contestant.hpp"

#include <system_error>

#include "campaign/kernelgenbench.hpp"
#include "model/operator_name.hpp"

namespace kgb {
namespace {

namespace fs = std::filesystem;

// The first of the places where the file of `op` may lie.
fs::path find_in(const fs::path& folder, const std::string& op) {
  std::error_code ignored;
  const std::string name = short_name(op);
  for (const fs::path& base : {folder / source_of(op), folder})
    for (const char* suffix : {".py", ".cpp", ".cc", ".cu"}) {
      const fs::path file = base / (name + suffix);
      if (fs::is_regular_file(file, ignored)) return file;
    }
  return {};
}

}  // namespace

Result<CandidateSet> candidates_of(const std::string& contestant, const Catalogue&,
                                   const std::vector<const Operator*>& operators) {
  CandidateSet set;
  std::error_code ignored;
  const bool experts = contestant == "experts";
  fs::path folder;
  if (!experts) {
    if (contestant.rfind("dir:", 0) != 0)
      return user_error(
          "no contestant '" + contestant +
          "'. Use experts, dir:PATH, library:NAME, replay:RUN, tuner, agent:NAME, or a method of"
          " catalogue/methods: one-shot, best-of-k, union-of-k, repair (kgbench list --contestants)");
    folder = contestant.substr(4);
    if (!fs::is_directory(folder, ignored))
      return user_error("'" + folder.string() +
                        "' is no folder. dir:PATH names a folder with one file per operator");
  }
  if (!experts && is_kernelgenbench_run(folder)) {
    KGB_TRY(set, kernelgenbench_candidates(folder, operators));
    if (!set.files.empty()) return set;
    return user_error("'" + folder.string() +
                      "' is a run of KernelGenBench without a kernel for any operator asked for");
  }
  for (const Operator* op : operators) {
    const fs::path file = experts ? op->folder / "expert.py" : find_in(folder, op->name);
    if (!file.empty() && fs::is_regular_file(file, ignored))
      set.files.push_back({op->name, file});
    else
      set.missing.push_back(op->name);
  }
  if (set.files.empty())
    return user_error("'" + contestant +
                      "' has no candidate for any operator asked for. Files are named <op>.py or"
                      " <source>/<op>.py, for example aten/softmax.py");
  return set;
}

}  // namespace kgb
