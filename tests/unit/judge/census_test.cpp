// SPDX-License-Identifier: Apache-2.0
// What the census says against a candidate.
#include "judge/census.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

CensusRow row(const std::string& kind, const std::string& name, double ns, const std::string& file = "") {
  CensusRow one;
  one.kind = kind;
  one.name = name;
  one.file = file;
  one.count = 1;
  one.ns = ns;
  return one;
}

constexpr const char* kCublas = "ampere_sgemm_128x64_tn";
constexpr const char* kFill =
    "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, std::array<char*, "
    "1ul> >(int)";

// A call with one input of four elements and outputs that were compared.
class CensusTest : public ::testing::Test {
 protected:
  CensusTest() {
    Arg self;
    self.name = "self";
    TensorSpec spec;
    spec.shape = {4};
    spec.strides = {1};
    spec.storage = 4;
    self.value = spec;
    job_.workload.call.workload = "s0";
    job_.workload.call.args.push_back(self);
    job_.elements = 4;
  }
  std::optional<Finding> finding(std::vector<CensusRow> rows) {
    name_origins(rows);
    const Case open{request_, op_, chip_,         "triton", {}, {},      {}, {},
                    {},       {},  Gate::correct, nullptr,  {}, nullptr, {}};
    return census_finding(open, job_, rows);
  }

  JudgeRequest request_;
  Operator op_;
  ChipCard chip_;
  Job job_;
};

TEST_F(CensusTest, TellsTheShareOfALibrary) {
  const auto found = finding({row("kernel", kCublas, 750), row("kernel", "mine", 200), row("copy", "", 50)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "library_kernel");
  EXPECT_EQ(found->message, "75 % of the device time is a library's: ampere_sgemm_128x64_tn of cuBLAS (x1)");
  EXPECT_EQ(found->details.at("library"), "cuBLAS");
  EXPECT_EQ(found->details.at("share"), "0.7500");
  EXPECT_EQ(found->workload, "s0");
}

TEST_F(CensusTest, LetsFillsAndCopiesPassBesideAKernelOfOnesOwn) {
  EXPECT_FALSE(finding({row("kernel", "mine", 10), row("kernel", kFill, 90), row("copy", "", 90)}));
}

TEST_F(CensusTest, WantsAKernelOfTheCandidates) {
  const auto found = finding({row("kernel", kFill, 90), row("copy to the device", "", 90)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, "no_launch");
}

TEST_F(CensusTest, WantsNoneWhereThereIsNothingToWriteOrToRead) {
  job_.elements = 0;
  EXPECT_FALSE(finding({}));
  job_.elements = 4;
  std::get<TensorSpec>(job_.workload.call.args[0].value).shape = {0};
  EXPECT_FALSE(finding({}));
}

TEST_F(CensusTest, TakesCopiesForTheWorkWhereMovingDataIsTheOperator) {
  op_.family = "copy";
  const auto found = finding({row("kernel", "mine", 10), row("copy", "", 90)});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message,
            "90 % of the device time is a library's: a copy on the device of the driver (x1)");
}

TEST_F(CensusTest, SparesOperatorsWithoutAKernel) {
  op_.tags = {"no_kernel"};
  EXPECT_FALSE(finding({}));
}

TEST(Census, LeavesAKernelOfTheCandidatesFileToItEvenUnderInductorsName) {
  std::vector<CensusRow> rows{row("kernel", "triton_poi_fused_add_0", 1, "candidate.py"),
                              row("kernel", "triton_poi_fused_add_0", 1),
                              row("kernel", kCublas, 1, "candidate.py"), row("kernel", "triton_", 1)};
  name_origins(rows);
  EXPECT_EQ(rows[0].library, "");
  EXPECT_EQ(rows[1].library, "Inductor");
  EXPECT_EQ(rows[3].library, "Inductor") << "unique_kernel_names = False";
  EXPECT_EQ(rows[2].library, "cuBLAS") << "no file excuses a name of cuBLAS's";
}

TEST(Census, AddsUpByKindAndNameTheLongestFirst) {
  std::vector<CensusRow> all;
  add_census(all, {row("kernel", "a", 10), row("kernel", "b", 15)});
  add_census(all, {row("kernel", "a", 10), row("memset", "", 1)});
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].name, "a");
  EXPECT_EQ(all[0].count, 2);
  EXPECT_EQ(all[0].ns, 20);
}

}  // namespace
}  // namespace kgb
