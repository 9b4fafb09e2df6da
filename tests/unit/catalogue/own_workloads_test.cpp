// SPDX-License-Identifier: Apache-2.0
// A user's own shapes: what is understood, and what mistakes say.
#include "catalogue/own_workloads.hpp"

#include <gtest/gtest.h>

#include "catalogue/catalogue.hpp"
#include "folder.hpp"
#include "shipped.hpp"

namespace kgb {
namespace {

const Catalogue& catalogue() {
  return shipped_catalogue().value();
}
const Operator& softmax() {
  return *catalogue().find("aten::softmax").value();
}

std::string described(const Result<std::vector<Workload>>& workloads) {
  if (!workloads) return workloads.error().message;
  std::string out;
  for (const Workload& w : *workloads) out += w.call.workload + ": " + describe(w.call) + "\n";
  return out;
}

std::string from_spec(const Operator& op, std::string_view spec) {
  const auto table = workload_table(spec);
  return table ? described(own_workloads(op, *table, "spec")) : table.error().message;
}

TEST(OwnWorkloads, ALineGivesOneWorkload) {
  EXPECT_EQ(from_spec(softmax(), "self=f16[4096,32003] dim=-1"), "o0: self f16[4096,32003], dim=-1\n");
  EXPECT_EQ(from_spec(softmax(), "self=bf16[8, 128]:transposed@ties(4)   dim=0 dtype=f32"),
            "o0: self bf16[8,128] transposed ties, dim=0, dtype=f32\n");
}

TEST(OwnWorkloads, WhatIsPrintedCanBeGiven) {
  for (const char* spec :
       {"self f16[4096,32003], dim=-1", "self bf16[8,128] transposed ties, dim=0, dtype=f32",
        "self f32[3,4] transposed, dim=0", "self f64[7] ties, dim=-1"})
    EXPECT_EQ(from_spec(softmax(), spec), std::string("o0: ") + spec + "\n");
  EXPECT_EQ(from_spec(softmax(), "softmax: self f16[3,4] transposed, dim=0  (edge)"),
            "o0: self f16[3,4] transposed, dim=0\n");
  EXPECT_NE(from_spec(softmax(), "self f16[2] slanted, dim=0").find("'slanted' is not NAME=VALUE"),
            std::string::npos);
  EXPECT_NE(from_spec(softmax(), "f16[2] dim=0").find("'f16[2]' is not NAME=VALUE"), std::string::npos);
}

TEST(OwnWorkloads, ATableMultipliesAsOnACard) {
  const auto workloads = own_workloads(softmax(), R"(
[[workload]]
self = { shape = [[2, 3], [5]], dtype = ["f32", "f16"] }
dim  = -1
)",
                                       "shapes.toml");
  ASSERT_TRUE(workloads.ok()) << workloads.error().message;
  ASSERT_EQ(workloads->size(), 4u);
  EXPECT_EQ((*workloads)[3].call.workload, "o3");
  EXPECT_EQ((*workloads)[3].tier, Tier::own);
}

TEST(OwnWorkloads, MistakesNameFileLineAndKey) {
  EXPECT_EQ(described(own_workloads(softmax(), "x = 1\n", "s.toml")).substr(0, 9), "s.toml:1:");
  EXPECT_NE(described(own_workloads(softmax(), "[[workload]]\nslef = { shape = [[2]] }\ndim = 0\n", "s.toml"))
                .find("s.toml:2: workload[0].slef: is no argument of softmax"),
            std::string::npos);
  EXPECT_NE(described(own_workloads(softmax(), "[[workload", "s.toml")).find("s.toml:1"), std::string::npos);
  EXPECT_NE(described(own_workloads(softmax(), "", "s.toml")).find("no [[workload]] table"),
            std::string::npos);
  EXPECT_NE(from_spec(softmax(), "self").find("'self' is not NAME=VALUE"), std::string::npos);
  for (const char* spec : {"self=f16[2", "self=half[2,3]", "self=f32]2["})
    EXPECT_NE(from_spec(softmax(), spec).find("is no tensor: write DTYPE[SIZES]"), std::string::npos) << spec;
  EXPECT_NE(from_spec(softmax(), "self=f16[2] tier=smoke").find("has no tier"), std::string::npos);
  EXPECT_NE(from_spec(softmax(), "self=f32[1000000000000] dim=0").find("at most 4 GB"), std::string::npos);
}

TEST(OwnWorkloads, MistakesOnTheCommandLineNameTheKeyAndNoLine) {
  const auto said = [](std::string tables) {
    return described(own_workloads(softmax(), tables, "--workload-spec"));
  };
  const std::string right = "[[workload]]\nself = { shape = [[2]], dtype = \"f32\" }\ndim = 0\n";
  const std::string slip = "[[workload]]\nslef = { shape = [[2]], dtype = \"f32\" }\ndim = 0\n";
  EXPECT_NE(("\n" + said(slip)).find("\n--workload-spec: slef: is no argument of softmax"), std::string::npos)
      << said(slip);
  EXPECT_NE(said(right + slip).find("--workload-spec: workload[1].slef: is no argument"), std::string::npos)
      << said(right + slip);
  const std::string shape = "[[workload]]\nself = { shape = [[2]], dtype = \"f31\" }\ndim = 0\n";
  EXPECT_EQ(said(shape), "--workload-spec: self.dtype: 'f31' is no dtype (did you mean 'f32'?)");
}

TEST(MoreCatalogues, AUsersOperatorIsFoundAndANameTwiceIsAnError) {
  const std::filesystem::path ours = std::filesystem::path(KGB_SOURCE_DIR) / "catalogue";
  const TempDir dir = TempDir::make("kgb-more").value();
  const std::filesystem::path own = dir.path() / "house" / "swap", twice = dir.path() / "aten" / "softmax";
  const std::string text = read_file(ours / "operators" / "aten" / "softmax" / "card.toml", 1 << 20).value();
  const auto put = [&](const std::filesystem::path& folder, const std::string& name) {
    ASSERT_TRUE(make_folders(folder).ok());
    std::string card = text;
    card.replace(card.find("aten::softmax"), 13, name);
    ASSERT_TRUE(write_file(folder / "card.toml", card, 0644).ok());
    ASSERT_TRUE(write_file(folder / "reference.py", "", 0644).ok());
  };
  put(own, "house::swap");
  const auto more = Catalogue::load(ours, {dir.path()});
  ASSERT_TRUE(more.ok()) << more.error().message;
  EXPECT_TRUE(more->find("house::swap").ok());
  EXPECT_TRUE(more->suite("house").ok());
  put(twice, "aten::softmax");
  const auto clash = Catalogue::load(ours, {dir.path()});
  ASSERT_TRUE(clash.ok()) << clash.error().message;
  ASSERT_EQ(clash->broken().size(), 1u);
  EXPECT_NE(clash->broken()[0].summary().find("aten::softmax is an operator already"), std::string::npos);
  EXPECT_FALSE(clash->find("aten::softmax").ok()) << "nobody knows which is meant";
  EXPECT_TRUE(clash->find("aten::add").ok());
  EXPECT_FALSE(Catalogue::load(ours, {dir.path()}, {"softmax"})->find("softmax").ok())
      << "of those asked for";
  EXPECT_TRUE(Catalogue::load(ours, {dir.path()}, {"house::swap"})->find("house::swap").ok());
}

}  // namespace
}  // namespace kgb
