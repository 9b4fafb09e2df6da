// SPDX-License-Identifier: Apache-2.0
// The text of counters, as a whole: numbers with their units, singular and plural, what is left out when it
// is 0.
#include "report/count_text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kgb {
namespace {

CountReport report() {
  LaunchCounters launch;
  launch.kernel = "softmax_kernel";
  launch.file = "mine.py";
  launch.line = 21;
  launch.grid = {64, 1, 1};
  launch.programs = 64;
  launch.work = {{WorkKind::add, "f32", 100'000},
                 {WorkKind::special, "f32", 50'000},
                 {WorkKind::dot, "f16", 50'000},
                 {WorkKind::compare, "f32", 49'000},
                 {WorkKind::integer, "i64", 1}};
  launch.arguments = {{"self", "x_ptr", {2048, 65'536, 262'144, 8192}, {}, {}, 262'144, 0},
                      {"output return", "out_ptr", {}, {2048, 65'536, 262'144, 65'536}, {}, 0, 262'144}};
  launch.accesses = {{"load", "self", "mine.py", 14, {2048, 65'536, 262'144, 8192}}};
  launch.loops = {{"mine.py", 13, 64, 1}};
  CountReport made;
  made.call.candidate = "mine.py";
  made.call.description = "self f32[64,1024], dim=-1";
  made.call.counters.op = "aten::softmax";
  made.call.counters.workload = "s3";
  made.call.counters.launches = {launch};
  made.call.counters.arguments = launch.arguments;
  made.card = {250'000, 524'288};
  made.rooflines = {{"h200", 2.5e-9, 1.09e-7, 1.09e-7, 14.25}};
  return made;
}

TEST(CountText, TheSummaryIsOneLine) {
  EXPECT_EQ(
      count_summary(report()),
      "s3    self f32[64,1024], dim=-1: 1 launch, 200,000 FLOPs, 512 KiB asked for, 512 KiB unique, 0.381 "
      "FLOP/byte; card: 0.80 of its 250,000 FLOPs, 1.00 of its 512 KiB; h200: memory bound, at least 109 "
      "ns\n");
}

TEST(CountText, TellsWorkTrafficArgumentsLaunchesAndRoofs) {
  EXPECT_EQ(
      count_text(report()),
      "== aten::softmax  mine.py  s3: self f32[64,1024], dim=-1\n"
      "  call 1       1 launch, 64 programs\n"
      "  FLOPs        200,000: add f32 100,000, special f32 50,000, dot f16 50,000\n"
      "  tensor cores 25.0 % of the FLOPs\n"
      "  no FLOPs     compare f32 49,000, integer i64 1\n"
      "  read         256 KiB in 2,048 requests, 4.0 sectors each, 100 % used; 256 KiB unique\n"
      "  written      256 KiB in 2,048 requests, 32.0 sectors each, 12 % used; 256 KiB unique\n"
      "  intensity    0.381 FLOP for each unique byte\n"
      "  card         0.80 of its 250,000 FLOPs, 1.00 of its 512 KiB\n"
      "  self         read 256 KiB in 2,048 requests, 4.0 sectors each, 100 % used; unique 256 KiB read, 0 B "
      "written\n"
      "  output return written 256 KiB in 2,048 requests, 32.0 sectors each, 12 % used; unique 0 B read, 256 "
      "KiB "
      "written\n"
      "  softmax_kernel[64,1,1] at mine.py:21: 64 programs, 200,000 FLOPs, 512 KiB asked for, 512 KiB "
      "unique, "
      "0.38 FLOP/byte\n"
      "    loop at line 13: 1 trip, entered 64 times\n"
      "    load of self at line 14: 256 KiB in 2,048 requests, 4.0 sectors each, 100 % used\n"
      "  roofline at data sheet rates, not verified on hardware:\n"
      "    h200     memory bound, at least 109 ns (arithmetic 2.5 ns, memory 109 ns); 0.03 of the ridge's "
      "14.2 "
      "FLOP/byte\n");
}

TEST(CountText, ACallThatLaunchesNothingIsFourLines) {
  CountReport empty;
  empty.call.candidate = "mine.py";
  empty.call.counters.op = "aten::clone";
  empty.call.counters.workload = "s0";
  empty.call.counters.copies = 2;
  EXPECT_EQ(count_text(empty),
            "== aten::clone  mine.py  s0: \n"
            "  call 1       0 launches, 0 programs; 2 fills and copies of host code are not counted\n"
            "  FLOPs        0\n"
            "  intensity    0.000 FLOP for each unique byte\n");
}

TEST(CountText, OfManyLaunchesTheFirstSixteenAreShown) {
  CountReport many = report();
  many.call.counters.launches.resize(20, many.call.counters.launches[0]);
  const std::string text = count_text(many);
  std::size_t shown = 0;
  for (std::size_t at = text.find("softmax_kernel["); at != std::string::npos;
       at = text.find("softmax_kernel[", at + 1))
    ++shown;
  EXPECT_EQ(shown, 16u);
  EXPECT_NE(text.find("  and 4 launches more: --json has them\n"), std::string::npos);
}

TEST(CountText, JsonHasTheCountersAndWhatTheyAreHeldAgainst) {
  const nlohmann::json json = to_json(report());
  EXPECT_EQ(json.at("totals").at("flops"), 200'000);
  EXPECT_EQ(json.at("card").at("bytes"), 524'288);
  EXPECT_EQ(json.at("rooflines").at(0).at("bound"), "memory");
  EXPECT_TRUE(call_counters_from_json(json).ok());
}

}  // namespace
}  // namespace kgb
