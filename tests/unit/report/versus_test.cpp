// SPDX-License-Identifier: Apache-2.0
// Two candidates side by side: means, intervals, calls, and the text as a whole.
#include "report/versus.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace kgb {
namespace {

Versus passed(bool timed) {
  Versus versus;
  versus.op = "aten::softmax";
  versus.chip = "h200";
  versus.seed = "0000000000005eed";
  versus.timed = timed;
  versus.before = {"old.py", "a", Verdict::pass, {}};
  versus.after = {"new.py", "b", Verdict::pass, {}};
  return versus;
}

VersusRow timed_row(const char* id, double ratio, double low, double high, const char* call) {
  VersusRow row{id, "self f32[8,8]", Timing{}, {}, {}};
  row.timing->candidate = 2e-5;
  row.timing->baseline = 2e-5 * ratio;
  row.timing->ratio = ratio;
  row.timing->ratio_low = low;
  row.timing->ratio_high = high;
  row.timing->call = call;
  return row;
}

CounterTotals work(std::uint64_t programs, std::uint64_t flops, std::uint64_t bytes) {
  CounterTotals totals;
  totals.programs = programs;
  totals.flops = flops;
  totals.read.bytes = bytes;
  totals.read.sectors = bytes / 32;
  totals.unique_read = bytes / 2;
  return totals;
}

TEST(Versus, TheOverallRatioIsTheGeometricMeanWithTheIntervalsTakenTogether) {
  Versus versus = passed(true);
  versus.rows = {timed_row("s1", 4, 2, 8, "faster"), timed_row("s2", 1, 1, 1, "same")};
  const auto all = overall_time(versus);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->counted, 2u);
  EXPECT_NEAR(all->ratio.estimate, 2, 1e-12);
  EXPECT_NEAR(all->ratio.low, std::sqrt(2), 1e-12);  // half of log 2 below the mean
  EXPECT_NEAR(all->ratio.high, 2 * std::sqrt(2), 1e-12);
  EXPECT_EQ(overall_call(*all), SpeedCall::faster);
}

TEST(Versus, AWorkloadWithoutARatioIsLeftOutAndAnOpenEndStaysOpen) {
  Versus versus = passed(true);
  versus.rows = {timed_row("s1", 1, 1, 1, "same"), VersusRow{"s2", "", Timing{}, {}, {}}};
  EXPECT_EQ(overall_time(versus)->counted, 1u);
  EXPECT_EQ(overall_call(*overall_time(versus)), SpeedCall::same);
  versus.rows[0].timing->ratio_low.reset();
  EXPECT_EQ(overall_time(versus)->ratio.low, 0);
  EXPECT_EQ(overall_call(*overall_time(versus)), SpeedCall::cannot_tell);
  versus.rows.erase(versus.rows.begin());
  EXPECT_FALSE(overall_time(versus));
}

TEST(VersusText, TellsTimesRatiosAndCalls) {
  Versus versus = passed(true);
  versus.rows = {timed_row("s17", 1.5, 1.49, 1.51, "faster"),
                 VersusRow{"s2", "self f16[3]", Timing{}, {}, {}}};
  versus.rows[1].timing->why = "its host code reads";
  EXPECT_EQ(versus_text(versus),
            "aten::softmax  old.py -> new.py  chip h200, seed 0000000000005eed\n"
            "  s17: self f32[8,8]\n"
            "    30 us -> 20 us   1.500x [1.490, 1.510]   faster\n"
            "  s2: self f16[3]\n"
            "    cannot tell: its host code reads\n"
            "overall  1.500x [1.490, 1.510]   faster   geometric mean of 1 of 2 workloads\n"
            "ratios are old time over new: above 1 new.py is faster\n");
}

TEST(VersusText, TellsWorkAsWork) {
  Versus versus = passed(false);
  versus.rows = {VersusRow{"s1", "self f32[8,8]", {}, VersusRow::Work{work(4, 1000, 64), work(2, 0, 64)}, {}},
                 VersusRow{"s2", "self f32[9]", {}, {}, "new.py: the time limit of the trial passed"}};
  const std::string text = versus_text(versus);
  EXPECT_NE(text.find("  no times: the virtual machine of chip cpu is no clock."), std::string::npos);
  EXPECT_NE(text.find("    FLOPs                      1,000 ->               0   all saved\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("    integer work                   0 ->               0   none\n"), std::string::npos);
  EXPECT_NE(text.find("    programs                       4 ->               2   2.000x\n"),
            std::string::npos);
  EXPECT_NE(text.find("    not counted: new.py: the time limit of the trial passed\n"), std::string::npos);
  EXPECT_NE(
      text.find("overall  bytes asked for 1.000x, unique bytes 1.000x, sectors 1.000x, programs 2.000x"),
      std::string::npos)
      << text;
}

TEST(VersusText, WhoDoesNotPassIsNamedAndThereAreNoRatios) {
  Versus versus = passed(true);
  versus.before.verdict = Verdict::wrong_value;
  versus.before.reason =
      Finding{"value_mismatch", Gate::correct, "return[0] = 1, expected 2\nmore", "s3", "old.py", 7, {}};
  EXPECT_EQ(versus_text(versus),
            "aten::softmax  old.py -> new.py  chip h200, seed 0000000000005eed\n"
            "  old.py  wrong_value: return[0] = 1, expected 2 (old.py:7)  workload s3\n"
            "  new.py  pass\n"
            "no ratios: both must pass. kgbench judge FILE --op aten::softmax has all of it\n");
  EXPECT_TRUE(to_json(versus)["overall"].is_null());
  EXPECT_EQ(to_json(versus)["old"]["reason"]["kind"], "value_mismatch");
}

TEST(VersusJson, NumbersThatAreNotThereAreNull) {
  Versus versus = passed(true);
  versus.rows = {VersusRow{"s2", "", Timing{}, {}, {}}};
  versus.rows[0].timing->call = "cannot tell";
  const nlohmann::json row = to_json(versus)["workloads"][0];
  EXPECT_TRUE(row["time"]["ratio"].is_null());
  EXPECT_EQ(row["time"]["call"], "cannot tell");
  versus = passed(false);
  versus.rows = {VersusRow{"s1", "", {}, VersusRow::Work{work(4, 1000, 64), work(2, 0, 64)}, {}}};
  EXPECT_TRUE(to_json(versus)["workloads"][0]["work"]["flops"]["ratio"].is_null());
  EXPECT_EQ(to_json(versus)["overall"]["programs"]["ratio"], 2);
}

}  // namespace
}  // namespace kgb
