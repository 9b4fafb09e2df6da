// SPDX-License-Identifier: Apache-2.0
#include "base/loaded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace kgb {
namespace {

TEST(LoadedLibraries, AreFilesByAbsolutePathsWithLibcAmongThem) {
  const std::vector<std::string> paths = loaded_libraries();
  for (const std::string& path : paths) EXPECT_TRUE(std::filesystem::is_regular_file(path)) << path;
  EXPECT_TRUE(std::any_of(paths.begin(), paths.end(), [](const std::string& path) {
    return path.find("/libc.so") != std::string::npos;
  }));
}

}  // namespace
}  // namespace kgb
