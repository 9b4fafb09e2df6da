// SPDX-License-Identifier: Apache-2.0
// Contestants that need no model: where the candidate of an operator comes from.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"

namespace kgb {

struct CandidateFile {
  std::string op;
  std::filesystem::path path;
  // What another judge had written of it (store/store.hpp).
  std::string recorded{}, recorded_evidence{};
};

// "experts": expert.py of each operator's folder. "dir:PATH": PATH/<source>/<op>.py, PATH/<op>.py, .cpp or
// .cu, the folder's own layout found by itself, or a run of KernelGenBench with its verdicts. Operators
// without a file are left out and named in `missing`.
struct CandidateSet {
  std::vector<CandidateFile> files;
  std::vector<std::string> missing;
};
[[nodiscard]] Result<CandidateSet> candidates_of(const std::string& contestant, const Catalogue& catalogue,
                                                 const std::vector<const Operator*>& operators);

}  // namespace kgb
