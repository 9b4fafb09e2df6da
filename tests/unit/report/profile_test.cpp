// SPDX-License-Identifier: Apache-2.0
// Profiles: whose counters are whose, what limits occupancy, and the text as a whole.
#include "report/profile.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kgb {
namespace {

ProfiledKernel launched(const std::string& name) {
  ProfiledKernel kernel;
  kernel.launch = {name, "mine.py", 31, {64, 1, 1}, 4, 1024, 40, 0};
  return kernel;
}

NcuKernel counted(const std::string& name, double sm) {
  NcuKernel kernel;
  kernel.name = name;
  kernel.metrics["sm_peak"] = sm;
  return kernel;
}

TEST(Profile, CountersGoToTheLaunchesInOrderAndByName) {
  CallProfile profile;
  profile.kernels = {launched("a"), launched("b"), launched("a"), launched("c")};
  attach_counters(profile,
                  {counted("a(float *)", 1), counted("other", 2), counted("b", 3), counted("ns::a(int)", 4)},
                  {{"a", {{"candidate.py", 3, 1, "wait"}}}, {"b", {{"candidate.py", 4, 1, "wait"}}}});
  EXPECT_EQ(profile.kernels[0].counters->metrics.at("sm_peak"), 1);
  EXPECT_EQ(profile.kernels[1].counters->metrics.at("sm_peak"), 3);
  EXPECT_EQ(profile.kernels[2].counters->metrics.at("sm_peak"), 4);
  EXPECT_FALSE(profile.kernels[3].counters);
  EXPECT_EQ(profile.kernels[0].lines[0].line, 3);
  EXPECT_EQ(profile.kernels[2].lines[0].line, 3) << "one table for all launches of a kernel";
  EXPECT_EQ(profile.kernels[1].lines[0].line, 4);
  EXPECT_TRUE(profile.kernels[3].lines.empty());
}

TEST(Profile, ActivityGoesToTheLaunchesInOrder) {
  CallProfile profile;
  profile.kernels = {launched("a"), launched("a"), launched("b")};
  profile.nodes = {{"", 0, 5}, {"a", 5, 7}, {"kgb_copy4", 12, 1}, {"a", 13, 8}};
  attach_activity(profile);
  EXPECT_EQ(profile.kernels[0].activity_ns, 7);
  EXPECT_EQ(profile.kernels[1].activity_ns, 8);
  EXPECT_FALSE(profile.kernels[2].activity_ns);
}

TEST(Profile, TheFewestProgramsLimitOccupancy) {
  NcuKernel kernel;
  EXPECT_EQ(occupancy_limiter(kernel), "");
  kernel.metrics = {{"blocks_by_registers", 6}, {"blocks_by_shared_memory", 9}, {"blocks_by_warps", 6}};
  EXPECT_EQ(occupancy_limiter(kernel), "registers and warps");
}

TEST(ProfileText, TellsEachKernel) {
  CallProfile profile;
  profile.op = "aten::softmax";
  profile.candidate = "mine.py";
  profile.workload = "s3";
  profile.description = "self f32[64,1024], dim=-1";
  profile.device = "NVIDIA H200";
  profile.driver = "13.0";
  profile.call_ns = {31000, 32000, 31500};
  profile.nodes = {{"softmax_kernel", 0, 30000}, {"", 30500, 900}};
  profile.kernels = {launched("softmax_kernel")};
  profile.kernels[0].launch.local_bytes = 16;
  profile.folder = "/x";
  profile.report = "/x/profile.ncu-rep";
  NcuKernel counters = counted("softmax_kernel", 22.7);
  counters.metrics.insert({{"duration", 31700},
                           {"dram_peak", 86.12},
                           {"dram_read", 65536},
                           {"occupancy", 71.9},
                           {"occupancy_limit", 75},
                           {"blocks_by_registers", 6},
                           {"local_loads", 1000},
                           {"local_stores", 2}});
  counters.stalls = {{"long_scoreboard", 0.62}, {"wait", 0.38}};
  attach_counters(
      profile, {counters},
      {{"softmax_kernel", {{"/tmp/candidate.py", 2, 0.48, "long_sb"}, {"/lib/std.py", 7, 0.2, ""}}}});
  attach_activity(profile);
  EXPECT_EQ(profile_text(profile, "import x\n  y = tl.load(p)\n"),
            "== aten::softmax  mine.py  s3: self f32[64,1024], dim=-1\n"
            "  device       'NVIDIA H200', driver '13.0'\n"
            "  call         31.5 us by stamps, median of 3\n"
            "    at      0 ns       30 us   'softmax_kernel'\n"
            "    at   30.5 us      900 ns   copy or fill\n"
            "  softmax_kernel[64,1,1] at mine.py:31, 128 threads\n"
            "    time        30 us by activity records, 31.7 us under ncu\n"
            "    of peak     DRAM 86.1 %, L2 unknown, SM 22.7 %\n"
            "    DRAM        64 KiB read, unknown written\n"
            "    occupancy   71.9 % of the warps that fit, at most 75.0 %; limited by registers\n"
            "    registers   40 a thread; 1 KiB of shared memory a program\n"
            "    spills      16 bytes of local memory a thread, 1,000 loads and 2 stores\n"
            "    stalls      'long_scoreboard' 62 %, 'wait' 38 % of the samples\n"
            "    lines        48 %  'long_sb'        mine.py:2  y = tl.load(p)\n"
            "                 20 %  unknown          /lib/std.py:7\n"
            "kept in /x; ncu's report: /x/profile.ncu-rep (open it with ncu-ui)\n");
}

TEST(ProfileText, TellsWhatIsMissing) {
  CallProfile profile;
  profile.device = "NVIDIA H200";
  profile.no_times = "its host code casts";
  profile.no_activity = "its host code casts";
  profile.no_counters = "ncu was not found";
  profile.no_work = "the time limit passed";
  profile.kernels = {launched("k")};
  const std::string text = profile_text(profile, "");
  for (const char* line :
       {"  call         not timed: its host code casts\n", "    time        unknown\n",
        "  no hardware counters: ncu was not found\n", "    spills      none: no local memory\n",
        "  not counted on the virtual machine: the time limit passed\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_EQ(text.find("stalls"), std::string::npos);
}

TEST(ProfileJson, WhatIsUnknownIsThereAndNull) {
  CallProfile profile;
  profile.kernels = {launched("k"), launched("j")};
  attach_counters(profile, {counted("k", 5)}, {});
  const nlohmann::json json = to_json(profile);
  EXPECT_EQ(json["kernels"][0]["counters"]["metrics"]["sm_peak"], 5);
  EXPECT_TRUE(json["kernels"][0]["counters"]["metrics"]["dram_peak"].is_null());
  EXPECT_TRUE(json["kernels"][1]["counters"].is_null());
  EXPECT_TRUE(json["report"].is_null());
  EXPECT_TRUE(json["work"].is_null());
}

}  // namespace
}  // namespace kgb
