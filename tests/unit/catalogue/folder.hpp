// SPDX-License-Identifier: Apache-2.0
// A catalogue of a test's own: files written under a folder that vanishes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/catalogue.hpp"

namespace kgb {

class CatalogueFolder {
 public:
  CatalogueFolder() : dir_(TempDir::make()) {
    EXPECT_TRUE(dir_.ok());
    EXPECT_TRUE(make_folders(root() / "operators").ok());
  }
  [[nodiscard]] std::filesystem::path root() const { return dir_->path() / "catalogue"; }
  void write(const std::string& path, const std::string& text) const {
    EXPECT_TRUE(make_folders((root() / path).parent_path()).ok());
    EXPECT_TRUE(write_file(root() / path, text).ok());
    const std::filesystem::path at = root() / path;
    if (at.filename() == "card.toml") {
      EXPECT_TRUE(write_file(at.parent_path() / "reference.py", "").ok());
    }
  }
  // The card of aten::op.
  void card(const std::string& text) const { write("operators/aten/op/card.toml", text); }
  // A broken card is an error here: most tests write one card.
  [[nodiscard]] Result<Catalogue> load() const {
    KGB_TRY(Catalogue loaded, Catalogue::load(root()));
    std::vector<std::string> problems;
    for (const BrokenOperator& one : loaded.broken())
      problems.insert(problems.end(), one.problems.begin(), one.problems.end());
    if (!problems.empty()) return user_error(join(problems, "\n"));
    return loaded;
  }
  [[nodiscard]] std::string error() const {
    const auto loaded = load();
    return loaded.ok() ? "loaded" : loaded.error().message;
  }

 private:
  Result<TempDir> dir_;
};

// A sound card around what a test is about. Seven lines come before `workloads`.
inline std::string card_with(const std::string& schema, const std::string& workloads) {
  return "name = \"aten::op\"\nfamily = \"pointwise\"\n[[entry]]\nname = \"op\"\nschema = \"" + schema +
         "\"\n[error]\nclass = \"exact\"\n" + workloads;
}

}  // namespace kgb
