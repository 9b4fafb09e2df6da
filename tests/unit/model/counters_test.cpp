// SPDX-License-Identifier: Apache-2.0
// Sums over counters, and their JSON form.
#include "model/counters.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kgb {
namespace {

LaunchCounters matmul() {
  LaunchCounters launch;
  launch.kernel = "matmul";
  launch.file = "mine.py";
  launch.line = 12;
  launch.grid = {4, 2, 1};
  launch.programs = 8;
  launch.work = {{WorkKind::add, "f32", 100},   {WorkKind::fma, "f32", 200},
                 {WorkKind::dot, "f16", 600},   {WorkKind::dot, "f32", 50},
                 {WorkKind::dot, "i8", 7},      {WorkKind::compare, "f32", 11},
                 {WorkKind::convert, "f16", 5}, {WorkKind::integer, "i32", 1000}};
  launch.arguments = {{"self", "a_ptr", {2, 64, 256, 8}, {}, {}, 128, 0},
                      {"output return", "c_ptr", {}, {1, 32, 64, 2}, {1, 1, 4, 1}, 4, 64}};
  launch.accesses = {{"load", "self", "mine.py", 14, {2, 64, 256, 8}}};
  launch.loops = {{"mine.py", 13, 8, 96}};
  return launch;
}

CallCounters two_launches() {
  CallCounters call;
  call.op = "aten::mm";
  call.workload = "s3";
  call.call = 2;
  call.copies = 1;
  call.launches = {matmul(), matmul()};
  for (const LaunchCounters& launch : call.launches) add_traffic(call.arguments, launch.arguments);
  call.arguments[0].unique_read = 128;
  return call;
}

TEST(Counters, FlopsAreFloatArithmeticAndTheTensorPartIsProductsThatTensorCoresTake) {
  const CounterTotals sum = totals(matmul());
  EXPECT_EQ(sum.flops, 100u + 200 + 600 + 50);
  EXPECT_EQ(sum.tensor_flops, 600u);  // IEEE f32 is none of theirs
  EXPECT_EQ(sum.integer_operations, 1007u);
  EXPECT_DOUBLE_EQ(sum.tensor_share(), 600.0 / 950);
}

TEST(Counters, IntensityIsFlopsOverUniqueBytesOfBothDirections) {
  const CounterTotals sum = totals(matmul());
  EXPECT_EQ(sum.unique_bytes(), 128u + 4 + 64);
  EXPECT_DOUBLE_EQ(sum.intensity(), 950.0 / 196);
  EXPECT_EQ(totals(LaunchCounters{}).intensity(), 0);
}

TEST(Counters, OfSectorsOnlyWhatWasAskedForIsUsed) {
  const Traffic strided{2, 64, 256, 64};
  EXPECT_DOUBLE_EQ(strided.sectors_per_request(), 32);
  EXPECT_DOUBLE_EQ(strided.sector_use(), 1.0 / 8);
  EXPECT_EQ(Traffic{}.sectors_per_request(), 0);
  EXPECT_EQ(Traffic{}.sector_use(), 0);
}

TEST(Counters, ACallAddsItsLaunchesButCountsUniqueBytesForItself) {
  const CallCounters call = two_launches();
  const CounterTotals sum = totals(call);
  EXPECT_EQ(sum.programs, 16u);
  EXPECT_EQ(sum.flops, 1900u);
  EXPECT_EQ(sum.read.bytes, 512u);
  EXPECT_EQ(sum.unique_read, 128u);
  EXPECT_EQ(work_of(call).front(), (Work{WorkKind::add, "f32", 200}));
}

TEST(Counters, SurviveTheirJsonForm) {
  const CallCounters call = two_launches();
  const Result<CallCounters> again = call_counters_from_json(nlohmann::json::parse(to_json(call).dump()));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(*again, call);
}

TEST(Counters, JsonThatIsNoneIsRefusedWithTheReason) {
  nlohmann::json json = to_json(two_launches());
  json["launches"][0]["work"][0]["kind"] = "magic";
  const Result<CallCounters> read = call_counters_from_json(json);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message.find("there is no kind of work \"magic\""), std::string::npos);
}

}  // namespace
}  // namespace kgb
