// SPDX-License-Identifier: Apache-2.0
// The roofline over a chip card: which rate stands for which work, and what binds.
#include "catalogue/roofline.hpp"

#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "shipped.hpp"

namespace kgb {
namespace {

ChipCard chip() {
  ChipCard card;
  card.name = "toy";
  card.peak = {{"f32", 1e12}, {"f64", 5e11}, {"f16_dot", 1e13}, {"bandwidth", 1e12}};
  return card;
}

LaunchCounters launch(std::vector<Work> work, std::uint64_t bytes) {
  LaunchCounters made;
  made.work = std::move(work);
  made.arguments = {{"x", "", {}, {}, {}, bytes, 0}};
  return made;
}

TEST(Roofline, FewFlopsForEachByteAreBoundByMemory) {
  const auto made = roofline(launch({{WorkKind::add, "f32", 1'000'000}}, 12'000'000), chip());
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->memory_bound());
  EXPECT_DOUBLE_EQ(made->compute_s, 1e-6);
  EXPECT_DOUBLE_EQ(made->memory_s, 12e-6);
  EXPECT_DOUBLE_EQ(made->least_s, 12e-6);
  EXPECT_DOUBLE_EQ(made->ridge, 1);
}

TEST(Roofline, ProductsRunBesideVectorWorkAndTheSlowerOneCounts) {
  const auto made = roofline(
      launch({{WorkKind::special, "f32", 2'000'000}, {WorkKind::dot, "f16", 100'000'000}}, 1), chip());
  ASSERT_TRUE(made);
  EXPECT_DOUBLE_EQ(made->compute_s, 10e-6);
  EXPECT_FALSE(made->memory_bound());
  EXPECT_DOUBLE_EQ(made->ridge, 10.2);
}

TEST(Roofline, ATypeWithoutUnitsTakesTheNextWiderOnes) {
  const auto seconds = [](WorkKind kind, const char* type) {
    return roofline(launch({{kind, type, 1'000'000}}, 0), chip())->compute_s;
  };
  EXPECT_DOUBLE_EQ(seconds(WorkKind::dot, "f8e4m3"), 1e-7);  // as f16
  EXPECT_DOUBLE_EQ(seconds(WorkKind::dot, "tf32"), 1e-6);    // as f32
  EXPECT_DOUBLE_EQ(seconds(WorkKind::dot, "f32"), 1e-6);     // IEEE: no tensor core
  EXPECT_DOUBLE_EQ(seconds(WorkKind::dot, "f64"), 2e-6);
  EXPECT_DOUBLE_EQ(seconds(WorkKind::mul, "bf16"), 1e-6);
  EXPECT_DOUBLE_EQ(seconds(WorkKind::mul, "f64"), 2e-6);
  EXPECT_DOUBLE_EQ(seconds(WorkKind::integer, "i32"), 0);
  EXPECT_DOUBLE_EQ(seconds(WorkKind::compare, "f32"), 0);
}

TEST(Roofline, LeastTimesOfLaunchesAddUpEachBoundByItsOwn) {
  CallCounters call;
  call.launches = {launch({{WorkKind::add, "f32", 3'000'000}}, 1'000'000),
                   launch({{WorkKind::add, "f32", 1'000'000}}, 4'000'000)};
  const auto made = roofline(call, chip());
  ASSERT_TRUE(made);
  EXPECT_DOUBLE_EQ(made->compute_s, 4e-6);
  EXPECT_DOUBLE_EQ(made->memory_s, 5e-6);
  EXPECT_DOUBLE_EQ(made->least_s, 3e-6 + 4e-6);
  EXPECT_FALSE(roofline(CallCounters{}, chip()));
}

TEST(Roofline, ACardWithoutRatesHasNone) {
  EXPECT_FALSE(roofline(launch({}, 1), ChipCard{}));
}

TEST(Roofline, EveryCardWithPeakRatesNamesItsSourceAndHasWhatARooflineNeeds) {
  const Result<Catalogue>& catalogue = shipped_catalogue();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  int with_rates = 0;
  for (const ChipCard& card : catalogue->chips()) {
    if (card.peak.empty()) continue;
    ++with_rates;
    EXPECT_FALSE(card.peak_source.empty()) << card.name;
    for (const char* key : {"f32", "f64", "f16_dot", "bf16_dot", "bandwidth"})
      EXPECT_TRUE(card.peak.contains(key)) << card.name << " lacks " << key;
    EXPECT_TRUE(roofline(launch({{WorkKind::dot, "f16", 1}}, 1), card)) << card.name;
  }
  EXPECT_GE(with_rates, 6);
}

}  // namespace
}  // namespace kgb
