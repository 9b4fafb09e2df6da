// SPDX-License-Identifier: Apache-2.0
// What a replay tells, written and read; what a process that a kernel wrote into might say instead.
#include "model/replayed.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

Replayed sample() {
  Replayed replayed;
  replayed.device = "NVIDIA H200";
  replayed.driver = "13.0";
  replayed.launches = {{"softmax_kernel", "candidate.py", 21, {64, 2, 1}, 4, 512, 40, 16}};
  replayed.nodes = {{"softmax_kernel", 0, 30000.5}, {"", 31000, 800}};
  replayed.call_ns = {31500, 31600};
  replayed.untraced = "CUPTI was not found";
  Finding finding;
  finding.kind = "device_fault";
  finding.message = "an illegal address";
  replayed.findings = {finding};
  return replayed;
}

TEST(Replayed, SurvivesTheWay) {
  const std::string text = to_json_text(sample());
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto read = replayed_from_json(text);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(to_json_text(*read), text);
  EXPECT_EQ(read->launches[0].grid[1], 2);
  EXPECT_EQ(read->nodes[0].ns, 30000.5);
}

TEST(Replayed, WhatIsNoAnswerIsTheHostsError) {
  const std::string good = to_json_text(sample());
  for (std::string bad :
       {std::string(), std::string("[]"), std::string("{}"), good.substr(1), good.substr(0, 80)}) {
    const auto read = replayed_from_json(bad);
    ASSERT_FALSE(read.ok()) << bad;
    EXPECT_EQ(read.error().fault, Fault::host);
  }
  for (const auto& [from, to] :
       {std::pair("31500.0", "-1"), std::pair("31500.0", "1e999"), std::pair("\"ns\":800.0", "\"ns\":\"x\""),
        std::pair("[64,2,1]", "[64]"), std::pair("\"nodes\":[", "\"nodes\":[7,")}) {
    std::string bad = good;
    ASSERT_NE(bad.find(from), std::string::npos) << from << good;
    bad.replace(bad.find(from), std::string(from).size(), to);
    EXPECT_FALSE(replayed_from_json(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace kgb
