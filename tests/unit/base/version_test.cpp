// SPDX-License-Identifier: Apache-2.0
// The version in the binary is the one that CMakeLists.txt declares.
#include "base/version.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

TEST(Version, IsTheOneOfTheProject) {
  std::ifstream file(std::string(KGB_SOURCE_DIR) + "/CMakeLists.txt");
  std::stringstream text;
  text << file.rdbuf();
  const std::string wanted = "project(kgbench VERSION " + std::string(kgb::version()) + " ";
  EXPECT_NE(text.str().find(wanted), std::string::npos) << wanted;
}
