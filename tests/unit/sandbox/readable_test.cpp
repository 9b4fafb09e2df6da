// SPDX-License-Identifier: Apache-2.0
// What another user can read, and what stands in the way.
#include "sandbox/readable.hpp"

#include <gtest/gtest.h>

#include "scene.hpp"

namespace kgb::sandbox {
namespace {

TEST(Readable, NamesTheFolderThatBlocks) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const TempDir dir = TempDir::make("kgb-readable", "/tmp").value();
  const std::string file = dir.path() / "open/closed/file";
  ASSERT_TRUE(make_folders(dir.path() / "open/closed").ok());
  ASSERT_TRUE(write_file(file, "x").ok());
  ::chmod(dir.path().c_str(), 0755);
  const std::string paths[] = {"/usr/bin", file};
  auto blocked = first_unreadable(kAuthor, paths);
  ASSERT_TRUE(blocked.ok()) << blocked.error().message;
  EXPECT_FALSE(blocked->has_value()) << (*blocked)->blocker;

  ::chmod((dir.path() / "open/closed").c_str(), 0700);
  blocked = first_unreadable(kAuthor, paths);
  ASSERT_TRUE(blocked.ok() && blocked->has_value());
  EXPECT_EQ((*blocked)->path, file);
  EXPECT_EQ((*blocked)->blocker, (dir.path() / "open/closed").native());
  EXPECT_EQ((*blocked)->reason, "Permission denied");

  // Through a link: an interpreter of an environment is one, and its folder is open.
  const std::string link = dir.path() / "open/link";
  std::filesystem::create_symlink(file, link);
  const std::string linked[] = {link};
  blocked = first_unreadable(kAuthor, linked);
  ASSERT_TRUE(blocked.ok() && blocked->has_value());
  EXPECT_EQ((*blocked)->path, link);
  EXPECT_EQ((*blocked)->blocker, (dir.path() / "open/closed").native());
}

TEST(Readable, NeedsRoot) {
  if (::geteuid() == 0) GTEST_SKIP() << "is root";
  const std::string paths[] = {"/usr"};
  EXPECT_FALSE(first_unreadable(kAuthor, paths).ok());
}

}  // namespace
}  // namespace kgb::sandbox
