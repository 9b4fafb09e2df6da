// SPDX-License-Identifier: Apache-2.0
// A declared library as a contestant: found or installed in a place of its own, and its candidates.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/contestant.hpp"
#include "catalogue/library.hpp"
#include "judge/judge.hpp"

namespace kgb {

struct DeclaredLibrary {
  Library library;
  LibrarySite site;
  std::filesystem::path checkout;  // empty: the installed package
  // "library:flag_gems", "library:flag_gems=/path": the contestant's name, good from any folder.
  [[nodiscard]] std::string contestant() const;
};

// catalogue/libraries, then libraries/ of the user's own catalogues.
[[nodiscard]] std::vector<std::filesystem::path> library_folders(const Installation& installation);

// The version that is installed under Installation::library_dir; empty when none is.
[[nodiscard]] std::string installed_version(const Library& library, const Installation& installation);

// `spec`: "NAME" or "NAME=PATH", a checkout. Missing packages, a version that the library's file is not for
// and a path without the package are the user's mistakes, told with what to do next.
[[nodiscard]] Result<DeclaredLibrary> declare_library(std::string_view spec, const Installation& installation,
                                                      const Catalogue& catalogue);

// Installs the package and what it needs (for a checkout: only what it needs) into a folder of its own with
// the interpreter's pip, without dependencies: torch, Triton and NumPy are the judge's. `say` is told what is
// done, before. What was installed there before is replaced when all went well.
[[nodiscard]] Status install_library(std::string_view spec, const Installation& installation,
                                     const Catalogue& catalogue,
                                     const std::function<void(const std::string&)>& say);

// What a library means for a candidate of `op`.
void declare(JudgeRequest& request, const Library& library, const Operator& op);

// Writes <folder>/<source>/<op>.py for each operator, also for those of which the library has nothing.
[[nodiscard]] Result<std::vector<CandidateFile>> library_candidates(
    const Library& library, const std::vector<const Operator*>& operators,
    const std::filesystem::path& folder);

}  // namespace kgb
