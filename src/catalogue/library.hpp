// SPDX-License-Identifier: Apache-2.0
// Declared kernel libraries: which entries of which operators a package has, and how they are called.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "catalogue/catalogue.hpp"

namespace kgb {

struct LibraryCall {
  std::string module, function;  // "flag_gems.ops", "add"
  std::string arguments;  // Python over the entry's arguments; empty: all of them, as the entry has them
};

// catalogue/libraries/<name>.toml (docs/contracts/library.md).
struct Library {
  std::string name;
  std::filesystem::path file;
  std::string package;             // as the package index knows it: "flag-gems"
  std::string version;             // the range that the map is true for: ">=5.0, <6"
  std::string import;              // "flag_gems"
  std::vector<std::string> needs;  // other packages, as pip is told them: "PyYAML==6.0.3"
  std::vector<std::pair<std::string, std::string>> environment;
  std::string notes;
  std::map<std::string, std::map<std::string, LibraryCall>> operators;  // operator, entry

  // Entries of the operator that the library does not have; all of them when it lacks the operator.
  [[nodiscard]] std::vector<std::string> lacking(const Operator& op) const;
};

// Names of the files <folder>/<name>.toml, sorted.
[[nodiscard]] std::vector<std::string> library_names(const std::vector<std::filesystem::path>& folders);
// Reads and checks one against the catalogue. An unknown name is answered with what may be meant.
[[nodiscard]] Result<Library> load_library(std::string_view name,
                                           const std::vector<std::filesystem::path>& folders,
                                           const Catalogue& catalogue);

// Whether a version lies in a range of Library::version. What follows the numbers ("5.1.0rc1", "+cu128") does
// not count.
[[nodiscard]] bool in_range(std::string_view version, std::string_view range);

// A candidate whose entries call the library: those that the library has, and no others.
[[nodiscard]] std::string library_candidate(const Library& library, const Operator& op);

}  // namespace kgb
