// SPDX-License-Identifier: Apache-2.0
// A catalogue of a test's own: files written under a folder that vanishes.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/files.hpp"
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
  }
  // The card of aten::op.
  void card(const std::string& text) const { write("operators/aten/op/card.toml", text); }
  [[nodiscard]] Result<Catalogue> load() const { return Catalogue::load(root()); }
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
