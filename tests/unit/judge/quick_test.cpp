// SPDX-License-Identifier: Apache-2.0
// The draw of the profile quick: one workload for each entry, class of dtypes and side of the secret.
#include "judge/quick.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "catalogue/catalogue.hpp"

namespace kgb {
namespace {

using Ids = std::vector<std::string>;

Workload workload(const std::string& id, DType dtype, Tier tier = Tier::smoke, bool edge = false,
                  const std::string& entry = "op") {
  Workload made;
  made.call.entry = entry;
  made.call.workload = id;
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = {4};
  spec.strides = {1};
  Arg arg;
  arg.name = "self";
  arg.value = spec;
  made.call.args.push_back(std::move(arg));
  made.tier = tier;
  made.edge = edge;
  return made;
}

Ids kept(std::vector<Workload> workloads, std::uint64_t seed) {
  keep_quick(workloads, seed);
  Ids ids;
  for (const Workload& one : workloads) ids.push_back(one.call.workload);
  return ids;
}

TEST(Quick, KeepsBothSidesOfEachEntryAndEveryClassInTheirOrder) {
  const std::vector<Workload> all{workload("s0", DType::f32),
                                  workload("s1", DType::f64),
                                  workload("s2", DType::f16),
                                  workload("s3", DType::bf16),
                                  workload("s4", DType::i64),
                                  workload("s5", DType::f32, Tier::smoke, false, "op_out"),
                                  workload("h0", DType::f32, Tier::hidden),
                                  workload("h1", DType::f64, Tier::hidden)};
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<Workload> drawn = all;
    keep_quick(drawn, seed);
    std::set<std::string> sides, classes;
    for (const Workload& one : drawn) {
      sides.insert(one.call.entry + (one.tier == Tier::hidden ? " hidden" : " public"));
      classes.insert(dtype_class_of(one.call));
    }
    EXPECT_EQ(sides, (std::set<std::string>{"op hidden", "op public", "op_out public"}));
    EXPECT_EQ(classes, (std::set<std::string>{"half", "integer", "wide"}));
    EXPECT_TRUE(std::is_sorted(drawn.begin(), drawn.end(), [&](const auto& a, const auto& b) {
      const auto place = [&](const Workload& one) {
        return std::find_if(all.begin(), all.end(),
                            [&](const Workload& w) { return w.call.workload == one.call.workload; });
      };
      return place(a) < place(b);
    })) << "jobs keep their order";
  }
}

TEST(Quick, AClassRidesAlongWithAnEntryWhereItCan) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Ids ids = kept({workload("s0", DType::f32), workload("s1", DType::f16),
                          workload("h0", DType::f32, Tier::hidden), workload("h1", DType::f16, Tier::hidden)},
                         seed);
    EXPECT_TRUE(ids == (Ids{"s0", "h1"}) || ids == (Ids{"s1", "h0"})) << ids.size();
  }
}

TEST(Quick, WhatTellsMoreIsDrawnMoreOften) {
  Workload plain = workload("s0", DType::f32), telling = workload("s1", DType::f32);
  TensorSpec& spec = std::get<TensorSpec>(telling.call.args.front().value);
  EXPECT_DOUBLE_EQ(quick_weight_of(plain.call), 0.2) << "four elements";
  spec.shape = {40};
  EXPECT_DOUBLE_EQ(quick_weight_of(telling.call), 1);
  spec.shape = {300};
  EXPECT_DOUBLE_EQ(quick_weight_of(telling.call), 3);
  spec.strides = {2};
  EXPECT_DOUBLE_EQ(quick_weight_of(telling.call), 6);
  spec.domain.kind = "special";
  EXPECT_DOUBLE_EQ(quick_weight_of(telling.call), 12);
  int drawn = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    drawn += kept({plain, telling}, seed) == Ids{"s1"} ? 1 : 0;
  EXPECT_NEAR(drawn, 2000 * 12 / 12.2, 30) << "in proportion to the weights";
}

TEST(Quick, TheSeedDecidesAndEachHasItsTurn) {
  std::vector<Workload> all;
  for (int i = 0; i < 5; ++i) all.push_back(workload("s" + std::to_string(i), DType::f32));
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    EXPECT_EQ(kept(all, seed), kept(all, seed));
    seen.insert(kept(all, seed).at(0));
  }
  EXPECT_EQ(seen.size(), 5u);
}

TEST(Quick, EdgeWorkloadsComeLast) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(kept({workload("s0", DType::f32, Tier::smoke, true), workload("s1", DType::f32)}, seed),
              Ids{"s1"});
    EXPECT_EQ(kept({workload("s0", DType::f32, Tier::smoke, true)}, seed), Ids{"s0"}) << "rather than none";
  }
}

TEST(Quick, AFloatingTensorNamesTheClassWhereverItStands) {
  Workload mixed = workload("s0", DType::i64);
  mixed.call.args.push_back(workload("", DType::bf16).call.args.front());
  mixed.call.args.back().name = "weight";
  EXPECT_EQ(dtype_class_of(mixed.call), "half");
  EXPECT_EQ(dtype_class_of(workload("s", DType::c64).call), "complex");
  EXPECT_EQ(dtype_class_of(workload("s", DType::b8).call), "bool");
  EXPECT_EQ(dtype_class_of(workload("s", DType::u8).call), "integer");
  EXPECT_EQ(dtype_class_of(workload("s", DType::f8e4m3).call), "fp8");
  EXPECT_EQ(dtype_class_of(Call{}), "none");
}

TEST(Quick, EveryOperatorKeepsAPublicAndAHiddenWorkloadOfEachEntry) {
  const auto catalogue = Catalogue::load(std::filesystem::path(KGB_SOURCE_DIR) / "catalogue", {},
                                         {"aten::add", "aten::softmax", "vllm::rms_norm", "cublas::Sgemm"});
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  for (const Operator& op : catalogue->operators()) {
    std::vector<Workload> all = catalogue->workloads(op, Tier::smoke);
    std::vector<Workload> hidden = catalogue->hidden(op, 7).value();
    std::set<std::pair<std::string, bool>> before, after;
    all.insert(all.end(), hidden.begin(), hidden.end());
    const std::size_t size = all.size();
    for (const Workload& w : all) before.insert({w.call.entry, w.tier == Tier::hidden});
    keep_quick(all, 7);
    for (const Workload& w : all) after.insert({w.call.entry, w.tier == Tier::hidden});
    EXPECT_EQ(before, after) << op.name;
    EXPECT_LT(all.size(), size) << op.name;
  }
}

}  // namespace
}  // namespace kgb
