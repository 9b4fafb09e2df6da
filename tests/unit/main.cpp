// SPDX-License-Identifier: Apache-2.0
// The main of every unit test: as kgbench's own, it ignores SIGPIPE, so that a process that is gone before
// it is asked is an error that a test can look at and not the end of the test program.
#include <gtest/gtest.h>

#include <csignal>

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
