// SPDX-License-Identifier: Apache-2.0
// Chip cards: the shipped ones have the facts that others rely on; wrong ones say what is wrong.
#include "catalogue/chip.hpp"

#include <gtest/gtest.h>

#include "folder.hpp"
#include "nlohmann/json.hpp"
#include "shipped.hpp"

namespace kgb {
namespace {

TEST(ShippedChips, HaveTheLimitsThatCompilationIsJudgedBy) {
  const Result<Catalogue>& catalogue = shipped_catalogue();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  struct Limit {
    const char* name;
    std::int64_t shared, warp;
  };
  for (const Limit& limit :
       {Limit{"sm_80", 166912, 32}, Limit{"sm_90", 232448, 32}, Limit{"sm_100", 232448, 32},
        Limit{"gfx942", 65536, 64}, Limit{"gfx950", 163840, 64}}) {
    const auto chip = catalogue->chip(limit.name);
    ASSERT_TRUE(chip.ok()) << limit.name;
    EXPECT_EQ((*chip)->fact("shared_optin_bytes"), limit.shared) << limit.name;
    EXPECT_EQ((*chip)->fact("warp_size"), limit.warp) << limit.name;
    EXPECT_EQ((*chip)->kind, "target");
    EXPECT_FALSE((*chip)->peak_source.empty());
  }
  EXPECT_EQ(catalogue->chip("sm_91").error().message.substr(0, 33), "'sm_91' is no chip (did you mean ");
}

TEST(ShippedChips, TheCpuShowsHostCodeAnH200) {
  const Result<Catalogue>& catalogue = shipped_catalogue();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const ChipCard& cpu = **catalogue->chip("cpu");
  const ChipCard& h200 = **catalogue->chip("h200");
  EXPECT_EQ(cpu.impersonates, "h200");
  EXPECT_EQ(cpu.facts, h200.facts);
  EXPECT_EQ(cpu.targets.size(), 5u);
  const nlohmann::json json = to_json(h200);
  EXPECT_EQ(json["device_name"], "NVIDIA H200");
  EXPECT_EQ(json["multiprocessors"], 132);
  EXPECT_EQ(json["capability"], "9.0");
}

TEST(ChipErrors, NameTheFileAndTheKey) {
  const CatalogueFolder folder;
  folder.card(card_with("(int n=1) -> Tensor", "[[workload]]\ntier = \"smoke\"\n"));
  ASSERT_EQ(folder.error(), "loaded");
  folder.write(
      "chips/x.toml",
      "name = \"y\"\nkind = \"gpu\"\ndevice_name = \"X\"\nbackend = \"cpu\"\nimpersonates = \"z\"\n");
  EXPECT_EQ(folder.error(),
            "catalogue/chips/x.toml:1: name: is 'y', but the file is called 'x'\n"
            "catalogue/chips/x.toml:2: kind: must be \"chip\" or \"target\"\n"
            "catalogue/chips/x.toml:1: impersonates: 'z' is no chip with facts of its own");
  folder.write(
      "chips/x.toml",
      "name = \"x\"\nkind = \"chip\"\ndevice_name = \"X\"\nbackend = \"cuda\"\n[facts]\nwarp_size = 0\n");
  EXPECT_NE(folder.error().find("catalogue/chips/x.toml:6: facts.warp_size: must be a positive integer"),
            std::string::npos);
  EXPECT_NE(folder.error().find("catalogue/chips/x.toml:5: facts.registers: is missing"), std::string::npos);
}

TEST(Suites, DemoIsAListOfNames) {
  const CatalogueFolder folder;
  folder.card(card_with("(int n=1) -> Tensor", "[[workload]]\ntier = \"smoke\"\n"));
  EXPECT_EQ(folder.load()->suite("demo")->size(), 1u) << "all operators, when there is no list";
  folder.write("suites.toml", "demo = [\"aten::op\", \"aten::opp\"]\n");
  EXPECT_EQ(folder.error(),
            "catalogue/suites.toml:1: demo: 'aten::opp' is no operator (did you mean 'aten::op'?)");
}

}  // namespace
}  // namespace kgb
