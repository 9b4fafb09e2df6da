// SPDX-License-Identifier: Apache-2.0
// What is opened when something beneath a readable folder must stay unread.
#include "sandbox/hide.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/files.hpp"

namespace kgb::sandbox {
namespace {

namespace fs = std::filesystem;

// site/{torch/x.py, kgbench/{a.py, home/{include, catalogue/expert.py}}}, site/link -> site/kgbench/home
struct Tree {
  TempDir dir = TempDir::make("kgb-hide", "/tmp").value();
  fs::path site = fs::canonical(dir.path()) / "site", home = site / "kgbench" / "home";
  Tree() {
    for (const fs::path& folder : {site / "torch", home / "include", home / "catalogue"})
      EXPECT_TRUE(make_folders(folder).ok());
    for (const fs::path& file :
         {site / "torch" / "x.py", site / "kgbench" / "a.py", home / "catalogue" / "e.py"})
      EXPECT_TRUE(write_file(file, "", 0644).ok());
    fs::create_directory_symlink(home, site / "link");
  }
};

std::vector<std::string> sorted(std::vector<std::string> paths) {
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(ReadAround, WithoutAnythingHiddenAllIsReadWhole) {
  const Tree tree;
  const std::vector<std::string> read{tree.site.string()};
  EXPECT_EQ(read_around(read, {}).whole, read);
  EXPECT_TRUE(read_around(read, {}).list.empty());
}

TEST(ReadAround, FoldersOnTheWayAreListedAndTheirOtherEntriesRead) {
  const Tree tree;
  const std::vector<std::string> read{tree.site.string()}, hidden{(tree.home / "catalogue").string()};
  const Readable readable = read_around(read, hidden);
  EXPECT_EQ(sorted(readable.list),
            sorted({tree.site.string(), (tree.site / "kgbench").string(), tree.home.string()}));
  EXPECT_EQ(sorted(readable.whole),
            sorted({(tree.site / "torch").string(), (tree.site / "kgbench" / "a.py").string(),
                    (tree.home / "include").string()}));
}

TEST(ReadAround, NeitherALinkNorTheHiddenFolderItselfOpensIt) {
  const Tree tree;
  const std::vector<std::string> hidden{(tree.home / "catalogue").string()};
  for (const fs::path& way :
       {tree.site / "link" / "catalogue", tree.home / "catalogue", tree.home / "catalogue" / "e.py"})
    EXPECT_TRUE(read_around(std::vector<std::string>{way.string()}, hidden).whole.empty()) << way;
}

TEST(ReadAround, APathThatIsNotThereIsLeftToTheLock) {
  const std::vector<std::string> read{"/nonexistent/folder"};
  EXPECT_EQ(read_around(read, std::vector<std::string>{"/nonexistent"}).whole, read);
}

}  // namespace
}  // namespace kgb::sandbox
