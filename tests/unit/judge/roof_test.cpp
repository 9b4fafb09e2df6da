// SPDX-License-Identifier: Apache-2.0
// The share of the roofline, and the file of a device's peaks.
#include "judge/roof.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"

namespace kgb {
namespace {

Call call_of(std::vector<DType> dtypes) {
  Call call;
  for (const DType dtype : dtypes) {
    TensorSpec tensor;
    tensor.dtype = dtype;
    call.args.push_back({"x", tensor, false});
  }
  return call;
}

Peaks peaks() {
  Peaks made;
  made.device = "a device";
  made.uuid = "00ff";
  made.driver = "1.2";
  made.made = "2026-12-01T00:00:00Z";
  made.rates = {{"bandwidth", {4e12, "copy", true}},
                {"bf16_dot", {800e12, "mm", true}},
                {"f32", {50e12, "mm", true}},
                {"f64_dot", {60e12, "mm", true}},
                {"f64", {30e12, "mm", true}}};
  return made;
}

TEST(RoofShare, TheSlowerOfMemoryAndArithmeticIsTheRoof) {
  const auto moved = roof_share({1e6, 4e9}, call_of({DType::f32}), peaks(), 2e-3);
  ASSERT_TRUE(moved);
  EXPECT_EQ(moved->bound, "memory");
  EXPECT_EQ(moved->peak, "bandwidth");
  EXPECT_DOUBLE_EQ(moved->least_s, 1e-3);
  EXPECT_DOUBLE_EQ(moved->share, 0.5);
  EXPECT_TRUE(moved->measured);
  const auto computed = roof_share({8e12, 4e9}, call_of({DType::bf16, DType::i64}), peaks(), 2e-2);
  ASSERT_TRUE(computed);
  EXPECT_EQ(computed->bound, "compute");
  EXPECT_EQ(computed->peak, "bf16_dot");
  EXPECT_DOUBLE_EQ(computed->share, 0.5);
}

TEST(RoofShare, TheFastestTypeOfTheCallAndItsFastestUnitCount) {
  EXPECT_EQ(roof_share({8e12, 1}, call_of({DType::f32, DType::bf16}), peaks(), 1)->peak, "bf16_dot");
  EXPECT_EQ(roof_share({8e12, 1}, call_of({DType::c128}), peaks(), 1)->peak, "f64_dot");
  EXPECT_EQ(roof_share({8e12, 1}, call_of({DType::c64}), peaks(), 1)->peak, "f32");
}

TEST(RoofShare, IntegersHaveNoArithmeticRoof) {
  EXPECT_EQ(roof_share({8e18, 4e9}, call_of({DType::i32}), peaks(), 1)->bound, "memory");
}

TEST(RoofShare, WhatIsMissingMakesItUnknown) {
  EXPECT_FALSE(roof_share({1e6, 4e9}, call_of({DType::f16}), peaks(), 1)) << "no rate of f16 is known";
  EXPECT_TRUE(roof_share({0, 4e9}, call_of({DType::f16}), peaks(), 1)) << "it moves and does not compute";
  EXPECT_FALSE(roof_share({0, 0}, call_of({DType::f32}), peaks(), 1));
  EXPECT_FALSE(roof_share({1e6, 4e9}, call_of({DType::f32}), Peaks(), 1));
  EXPECT_FALSE(roof_share({1e6, 4e9}, call_of({DType::f32}), peaks(), 0));
}

TEST(RoofShare, WorkOfLessThanALaunchSaysSo) {
  EXPECT_TRUE(roof_share({1, 4e6}, call_of({DType::f32}), peaks(), 2e-6)->launch_bound);
  EXPECT_FALSE(roof_share({1, 4e7}, call_of({DType::f32}), peaks(), 2e-5)->launch_bound);
}

TEST(Peaks, TheDataSheetFillsWhatWasNotMeasured) {
  Peaks known = peaks();
  ChipCard chip;
  chip.peak = {{"f16_dot", 990e12}, {"f32", 67e12}};
  known.add_nominal(chip);
  EXPECT_EQ(known.find("f32")->rate, 50e12);
  EXPECT_EQ(known.find("f16_dot")->rate, 990e12);
  const auto share = roof_share({1e12, 1}, call_of({DType::f16}), known, 1);
  ASSERT_TRUE(share);
  EXPECT_FALSE(share->measured);
}

TEST(Peaks, ComeBackFromTheirFileWithoutTheDataSheets) {
  const auto folder = TempDir::make();
  Installation at;
  at.cache_dir = folder->path();
  const auto file = peaks_file(at, "00ff", "580.1/x");
  EXPECT_EQ(file.filename(), "00ff-580.1_x.json");
  Peaks known = peaks();
  known.rates["i8_dot"] = {1e15, "data sheet", false};
  known.problem = "products: torch has no CUDA device";
  ASSERT_TRUE(write_peaks(file, known).ok());
  const auto back = peaks_from_file(file);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(back->rates.size(), 5u);
  EXPECT_EQ(back->find("bandwidth")->how, "copy");
  EXPECT_EQ(back->made, known.made);
  EXPECT_EQ(back->problem, known.problem);
}

TEST(Peaks, AFileThatIsNoneOfOursIsAnError) {
  const auto folder = TempDir::make();
  const auto file = folder->path() / "x.json";
  EXPECT_FALSE(peaks_from_file(file).ok());
  for (const char* text :
       {"", "[]", "{\"schema\": 2}", "{\"schema\": 1, \"rates\": {\"f32\": {\"rate\": -1}}}",
        "{\"schema\": 1, \"rates\": {\"f32\": 7}}"}) {
    ASSERT_TRUE(write_file(file, text).ok());
    EXPECT_FALSE(peaks_from_file(file).ok()) << text;
  }
}

}  // namespace
}  // namespace kgb
