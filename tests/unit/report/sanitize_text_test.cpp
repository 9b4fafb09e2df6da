// SPDX-License-Identifier: Apache-2.0
// Findings of the sanitizer that tell the same: what makes them so, and the line that stands for them.
#include "report/sanitize_text.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

Finding race(const std::string& kernel, int line, const std::string& workload) {
  Finding made;
  made.kind = "race";
  made.message = "kernel " + kernel + ": two programs";
  made.file = "mine.py";
  made.line = line;
  made.workload = workload;
  made.details["kernel"] = kernel;
  return made;
}

TEST(SanitizeText, OneKindInOneKernelIsOneStory) {
  EXPECT_EQ(sanitize_key(race("k", 3, "s0")), sanitize_key(race("k", 9, "s4")));
  EXPECT_NE(sanitize_key(race("k", 3, "s0")), sanitize_key(race("other", 3, "s0")));
  Finding read = race("k", 3, "s0");
  read.kind = "uninitialised_read";
  EXPECT_NE(sanitize_key(read), sanitize_key(race("k", 3, "s0")));
}

TEST(SanitizeText, WhatHasNoKernelIsTakenByItsPlace) {
  Finding first = race("", 3, "s0"), second = race("", 4, "s0");
  first.details.clear();
  second.details.clear();
  EXPECT_NE(sanitize_key(first), sanitize_key(second));
}

TEST(SanitizeText, AFoldedLineTellsHowManyAndWhere) {
  const Finding a = race("k", 12, "s0"), b = race("k", 9, "s0"), c = race("k", 12, "s3");
  EXPECT_EQ(folded_text({&a, &b, &c}), "== race: 3 more in kernel k, at lines 9, 12, workloads s0, s3\n");
  EXPECT_EQ(folded_text({&a}), "== race: 1 more in kernel k, at line 12, workload s0\n");
  EXPECT_EQ(folded_text({}), "");
}

}  // namespace
}  // namespace kgb
