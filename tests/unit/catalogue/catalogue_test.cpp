// SPDX-License-Identifier: Apache-2.0
// The shipped catalogue: every card loads, every workload is sound, every bound and cost is a number.
#include "catalogue/catalogue.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "base/files.hpp"
#include "model/generate.hpp"
#include "shipped.hpp"

namespace kgb {
namespace {

const Catalogue& shipped() {
  const Result<Catalogue>& loaded = shipped_catalogue();
  if (!loaded.ok()) {
    ADD_FAILURE() << loaded.error().message;
    static const Catalogue empty;
    return empty;
  }
  return *loaded;
}

TEST(CatalogueOfSome, HoldsTheOperatorsAskedForAsTheWholeOneDoes) {
  const std::filesystem::path folder = std::filesystem::path(KGB_SOURCE_DIR) / "catalogue";
  const auto some = Catalogue::load(folder, {}, {"vllm::rms_norm", "softmax"});
  ASSERT_TRUE(some.ok()) << some.error().message;
  ASSERT_EQ(some->operators().size(), 2u);
  for (const Operator& op : some->operators()) {
    const auto whole = shipped().find(op.name);
    ASSERT_TRUE(whole.ok());
    ASSERT_EQ(op.fixed.size(), (*whole)->fixed.size());
    for (std::size_t i = 0; i < op.fixed.size(); ++i)
      EXPECT_EQ(describe(op.fixed[i].call), describe((*whole)->fixed[i].call));
  }
  EXPECT_TRUE(some->chip("cpu").ok());
  EXPECT_FALSE(some->find("aten::add").ok());
  const auto misspelt = Catalogue::load(folder, {}, {"sofmax"});
  ASSERT_TRUE(misspelt.ok()) << misspelt.error().message;
  EXPECT_EQ(misspelt->find("sofmax").error().message, shipped().find("sofmax").error().message)
      << "suggestions know the names of all";
}

TEST(CatalogueOfSome, ACopySharesWhatWasLoaded) {
  const Catalogue copy = shipped();
  EXPECT_EQ(&copy.operators(), &shipped().operators());
}

TEST(CatalogueOfSome, ChipsAloneAreThoseOfTheWhole) {
  const auto chips = Catalogue::load_chips(std::filesystem::path(KGB_SOURCE_DIR) / "catalogue/");
  ASSERT_TRUE(chips.ok()) << chips.error().message;
  ASSERT_EQ(chips->size(), shipped().chips().size());
  for (std::size_t i = 0; i < chips->size(); ++i) EXPECT_EQ((*chips)[i].facts, shipped().chips()[i].facts);
}

// What must hold for a call whatever its card says.
void expect_sound(const Operator& op, const Workload& workload) {
  const Call& call = workload.call;
  SCOPED_TRACE(op.name + " " + call.entry + " " + call.workload + ": " + describe(call));
  EXPECT_EQ(call.op, op.name);
  const Entry* entry = op.find_entry(call.entry);
  ASSERT_NE(entry, nullptr);
  ASSERT_EQ(call.args.size(), entry->schema.parameters.size());
  for (const auto& [path, spec] : tensors_of(call)) {
    EXPECT_TRUE(check_spec(spec).ok()) << path;
    EXPECT_TRUE(check_domain(spec.domain).ok()) << path;
  }
  const auto bound = shipped().error_for(op, call);
  EXPECT_TRUE(bound.ok()) << bound.error().message;
  const auto cost = shipped().cost_for(op, call);
  EXPECT_TRUE(cost.ok()) << cost.error().message;
}

TEST(ShippedCards, AllLoadWithSoundWorkloads) {
  ASSERT_GE(shipped().operators().size(), 3u);
  for (const Operator& op : shipped().operators()) {
    for (const Tier tier : {Tier::smoke, Tier::full, Tier::published}) {
      for (const Workload& workload : shipped().workloads(op, tier)) expect_sound(op, workload);
    }
  }
}

TEST(ShippedCards, HiddenWorkloadsAreSoundForManySeeds) {
  for (const Operator& op : shipped().operators()) {
    for (const std::uint64_t seed : {0u, 1u, 2u, 3u, 0xfeedu, 77777u}) {
      const auto drawn = shipped().hidden(op, seed);
      ASSERT_TRUE(drawn.ok()) << op.name << ": " << drawn.error().message;
      for (const Workload& workload : *drawn) expect_sound(op, workload);
    }
  }
}

}  // namespace
}  // namespace kgb
