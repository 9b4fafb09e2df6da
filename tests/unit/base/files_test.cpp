// SPDX-License-Identifier: Apache-2.0
// Files: limits, atomic replacement, temporary folders, hostile shapes.
#include "base/files.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace kgb {
namespace {

namespace fs = std::filesystem;

class Files : public ::testing::Test {
 protected:
  TempDir dir_ = TempDir::make("kgb-files").value();
  fs::path at(const char* name) const { return dir_.path() / name; }
};

TEST_F(Files, WhatIsWrittenIsRead) {
  const std::string bytes("a\0b\xff", 4);
  ASSERT_TRUE(write_file_atomic(at("x"), bytes).ok());
  EXPECT_EQ(read_file(at("x")).value(), bytes);
}

TEST_F(Files, ReplacingLeavesNothingBeside) {
  ASSERT_TRUE(write_file_atomic(at("x"), "old").ok());
  ASSERT_TRUE(write_file_atomic(at("x"), "new").ok());
  EXPECT_EQ(list_folder(dir_.path()).value(), std::vector<std::string>{"x"});
  EXPECT_EQ(read_file(at("x")).value(), "new");
}

TEST_F(Files, AFailedReplacementKeepsTheOldAndNamesTheFile) {
  ASSERT_TRUE(make_folders(at("folder/inside")).ok());
  const Status status = write_file_atomic(at("folder"), "bytes");
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("folder"), std::string::npos);
  EXPECT_EQ(list_folder(dir_.path()).value(), std::vector<std::string>{"folder"});
}

TEST_F(Files, TheSizeLimitIsExact) {
  ASSERT_TRUE(write_file(at("x"), std::string(5000, 'x')).ok());
  EXPECT_EQ(read_file(at("x"), 5000).value().size(), 5000u);
  const auto over = read_file(at("x"), 4999);
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().fault, Fault::user);
  EXPECT_NE(over.error().message.find("larger than the limit"), std::string::npos);
}

TEST_F(Files, AMissingFileIsTheUsersError) {
  const auto missing = read_file(at("none"));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().fault, Fault::user);
}

TEST_F(Files, AFifoIsRefusedWithoutWaiting) {
  ASSERT_EQ(::mkfifo(at("fifo").c_str(), 0600), 0);
  const auto fifo = read_file(at("fifo"));
  ASSERT_FALSE(fifo.ok());
  EXPECT_NE(fifo.error().message.find("not a regular file"), std::string::npos);
}

TEST_F(Files, TextMustBeUtf8AndLosesItsByteOrderMark) {
  ASSERT_TRUE(write_file(at("good"), "\xef\xbb\xbfz\xc3\xa4").ok());
  EXPECT_EQ(read_text_file(at("good")).value(), "z\xc3\xa4");
  ASSERT_TRUE(write_file(at("bad"), "z\xe4").ok());
  EXPECT_FALSE(read_text_file(at("bad")).ok());
}

TEST_F(Files, PseudoFilesHaveNoSize) {
  EXPECT_FALSE(read_pseudo_file("/proc/self/status").value().empty());
}

TEST_F(Files, TemporaryFoldersVanishWithTheirScopeAndLinksAreNotFollowed) {
  ASSERT_TRUE(write_file(at("outside"), "stays").ok());
  fs::path path;
  {
    TempDir inner = TempDir::make("inner", dir_.path()).value();
    path = inner.path();
    struct stat info{};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u);
    ASSERT_TRUE(make_folders(path / "a/b").ok());
    fs::create_symlink(dir_.path(), path / "a/link");
    TempDir moved = std::move(inner);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
  EXPECT_TRUE(fs::exists(at("outside")));
}

}  // namespace
}  // namespace kgb
