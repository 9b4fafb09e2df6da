// SPDX-License-Identifier: Apache-2.0
// What every draw of hidden workloads holds, whatever the seed: it is chosen in turn, not by luck.
#include "catalogue/draw.hpp"

#include <gtest/gtest.h>

#include <set>

#include "catalogue/layout.hpp"
#include "catalogue/texts.hpp"
#include "folder.hpp"
#include "shipped.hpp"

namespace kgb {
namespace {

constexpr std::uint64_t kSeeds = 12;

std::string two_entries(const std::string& hidden) {
  return "name = \"aten::op\"\nfamily = \"pointwise\"\n"
         "[[entry]]\nname = \"op\"\nschema = \"(Tensor self) -> Tensor\"\n"
         "[[entry]]\nname = \"op_out\"\nschema = \"(Tensor self) -> Tensor\"\n"
         "[error]\nclass = \"exact\"\n"
         "[[workload]]\ntier = \"smoke\"\nentry = [\"op\", \"op_out\"]\nself = { shape = [2], dtype = "
         "\"f32\" }\n" +
         hidden;
}

struct Held {
  std::set<std::size_t> ranks;
  std::set<DType> dtypes;
  std::set<std::vector<std::int64_t>> strided;  // strides of what is laid out otherwise than contiguous
  int workloads = 0;
};

std::map<std::string, Held> held(const Catalogue& catalogue, std::uint64_t seed) {
  std::map<std::string, Held> found;
  const auto drawn = catalogue.hidden(catalogue.operators()[0], seed);
  EXPECT_TRUE(drawn.ok());
  for (const Workload& w : *drawn) {
    const auto& spec = std::get<TensorSpec>(w.call.args[0].value);
    Held& entry = found[w.call.entry];
    ++entry.workloads;
    entry.ranks.insert(spec.shape.size());
    entry.dtypes.insert(spec.dtype);
    TensorSpec plain = spec;
    apply_layout(LayoutKind::contiguous, plain);
    if (plain != spec) entry.strided.insert(spec.strides);
  }
  return found;
}

TEST(Draw, EveryEntryHasItsHighestRankAndEveryType) {
  const CatalogueFolder folder;
  folder.card(two_entries(
      "[[hidden]]\ncount = 8\nentry = [\"op\", \"op_out\"]\nself = { shape = \"dims(0, 4, 6000)\", "
      "dtype = [\"f16\", \"bf16\", \"f32\", \"f64\"], layout = \"any\", domain = \"any_float\" }\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    for (const auto& [name, entry] : held(*catalogue, seed)) {
      EXPECT_EQ(entry.workloads, 4);
      EXPECT_TRUE(entry.ranks.contains(4)) << name << " " << seed;
      EXPECT_GE(entry.ranks.size(), 3u) << name << " " << seed;
      EXPECT_EQ(entry.dtypes.size(), 4u) << name << " " << seed;
      EXPECT_GE(entry.strided.size(), 1u) << name << " " << seed;
    }
}

TEST(Draw, OneTemplateGoesOnWhereAnotherLeftOff) {
  const CatalogueFolder folder;
  const std::string half =
      "[[hidden]]\ncount = 4\nself = { shape = [9, 8, 7, 6], dtype = [\"f16\", \"bf16\", \"f32\", "
      "\"f64\", \"i32\", \"i64\", \"i8\", \"u8\"], layout = \"any\" }\n";
  folder.card(two_entries(half + half));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Held all = held(*catalogue, seed).at("op");
    EXPECT_EQ(all.dtypes.size(), 8u) << seed;
    // An offset leaves the strides as they are; the six others give strides of their own.
    EXPECT_EQ(all.strided.size(), 7u) << seed;
  }
}

TEST(Draw, TypesAndLayoutsMeetInAllWays) {
  const CatalogueFolder folder;
  folder.card(
      two_entries("[[hidden]]\ncount = 2\nself = { shape = [9, 8], dtype = [\"f16\", \"f32\"], "
                  "layout = [\"contiguous\", \"transposed\"] }\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  std::set<std::pair<DType, std::int64_t>> met;
  for (std::uint64_t seed = 0; seed < 4 * kSeeds; ++seed) {
    const auto drawn = catalogue->hidden(catalogue->operators()[0], seed);
    ASSERT_TRUE(drawn.ok());
    for (const Workload& w : *drawn) {
      const auto& spec = std::get<TensorSpec>(w.call.args[0].value);
      met.emplace(spec.dtype, spec.strides[0]);
    }
  }
  EXPECT_EQ(met.size(), 4u);
}

TEST(Draw, WhatWhenRefusesIsNotWaitedFor) {
  const CatalogueFolder folder;
  folder.card(two_entries(
      "[[hidden]]\ncount = 6\nself = { shape = \"dims(0, 4, 600)\", dtype = [\"f16\", \"f32\"] }\n"
      "when = \"ndim(self) < 3 and dtype(self) == f32\"\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
    EXPECT_EQ(held(*catalogue, seed).at("op").workloads, 6) << seed;
}

TEST(Draw, ShowTellsWhatIsReachedAndNoShape) {
  const CatalogueFolder folder;
  folder.card(
      two_entries("[[hidden]]\ncount = 8\nself = { shape = \"dims(1, 3, 6000)\", dtype = [\"f16\", \"i8\"], "
                  "layout = [\"contiguous\", \"padded\"] }\n"
                  "[[hidden]]\ncount = 1\nentry = [\"op_out\"]\nself = { shape = [12345], dtype = \"f32\", "
                  "layout = \"any\" }\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const std::string told = hidden_text(*catalogue, catalogue->operators()[0]);
  EXPECT_EQ(told,
            "  op: self: rank 1 2 3; i8 f16; contiguous, padded\n"
            "  op_out: self: rank 1; f32; every layout\n");
  EXPECT_NE(show_text(*catalogue, catalogue->operators()[0]).find(told), std::string::npos);
}

// The catalogue itself: an entry that any seed judges on a rank is judged on its highest by every seed, as
// far as the first tensor goes.
TEST(Draw, EveryEntryOfTheCatalogueMeetsItsHighestRank) {
  const Result<Catalogue>& catalogue = shipped_catalogue();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  for (const Operator& op : catalogue->operators()) {
    std::map<std::string, std::vector<std::size_t>> highest;  // by entry, of each seed
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      std::map<std::string, std::size_t> of_seed;
      const auto drawn = catalogue->hidden(op, seed);
      ASSERT_TRUE(drawn.ok()) << op.name;
      for (const Workload& w : *drawn) {
        const auto tensors = tensors_of(w.call);
        if (tensors.empty()) continue;
        std::size_t& high = of_seed.try_emplace(w.call.entry, 0).first->second;
        high = std::max(high, tensors.begin()->second.shape.size());
      }
      for (const auto& [entry, high] : of_seed) highest[entry].push_back(high);
    }
    for (const auto& [entry, high] : highest)
      EXPECT_TRUE(std::set<std::size_t>(high.begin(), high.end()).size() == 1 && high.size() == 6)
          << op.name << " " << entry;
  }
}

}  // namespace
}  // namespace kgb
