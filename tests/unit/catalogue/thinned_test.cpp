// SPDX-License-Identifier: Apache-2.0
// What a card leaves out of the published grid: read, refused where it says no reason, and told.
#include <gtest/gtest.h>

#include "catalogue/texts.hpp"
#include "folder.hpp"
#include "shipped.hpp"

namespace kgb {
namespace {

const std::string kSmoke = "[[workload]]\ntier = \"smoke\"\nself = { shape = [2], dtype = \"f32\" }\n";

std::string with(const std::string& tier, const std::string& thinned) {
  return card_with("(Tensor self) -> Tensor", kSmoke + "[[workload]]\ntier = \"" + tier + "\"\nthinned = \"" +
                                                  thinned +
                                                  "\"\nself = { shape = [[3], [4]], dtype = \"f32\" }\n");
}

TEST(Thinned, IsToldOfTheOperator) {
  const CatalogueFolder folder;
  folder.card(with("full", "the largest shape cut to a sixth: it adds no case"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  const Operator& op = catalogue->operators()[0];
  const std::string said = "the largest shape cut to a sixth: it adds no case";
  EXPECT_EQ(op.thinned, std::vector<std::string>{said});
  EXPECT_NE(show_text(*catalogue, op).find("  thinned    " + said + "\n"), std::string::npos);
  EXPECT_EQ(thinned_text({&op}), "aten::op  " + said + "\n");
}

TEST(Thinned, OfSeveralTablesEachReasonIsToldOnce) {
  const CatalogueFolder folder;
  const std::string table =
      "[[workload]]\ntier = \"full\"\nthinned = \"large ones left out: the same code\"\n"
      "self = { shape = [3], dtype = ";
  folder.card("thinned = \"all of f64 left out: nobody asks for it\"\n" +
              card_with("(Tensor self) -> Tensor", kSmoke + table + "\"f32\" }\n" + table + "\"f16\" }\n"));
  const auto catalogue = folder.load();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  EXPECT_EQ(catalogue->operators()[0].thinned,
            (std::vector<std::string>{"all of f64 left out: nobody asks for it",
                                      "large ones left out: the same code"}));
}

TEST(Thinned, NeedsAReasonAndTheTierFull) {
  for (const auto& [tier, text, why] :
       {std::tuple("full", "cut to a sixth", "thinned: must say what is left out and why"),
        std::tuple("full", "cut: ", "thinned: must say what is left out and why"),
        std::tuple("smoke", "cut to a sixth: no case", "thinned: belongs to the tier full")}) {
    const CatalogueFolder folder;
    folder.card(with(tier, text));
    EXPECT_NE(folder.error().find(why), std::string::npos) << folder.error();
  }
}

// A comment alone is seen by nobody: in the catalogue itself the word belongs to the key.
TEST(Thinned, NoCardOfTheCatalogueSaysItInACommentAlone) {
  const Result<Catalogue>& catalogue = shipped_catalogue();
  ASSERT_TRUE(catalogue.ok()) << catalogue.error().message;
  std::size_t thinned = 0;
  for (const Operator& op : catalogue->operators()) {
    thinned += op.thinned.empty() ? 0 : 1;
    const auto text = read_file(op.folder / "card.toml", std::size_t{1} << 20);
    ASSERT_TRUE(text.ok());
    for (const std::string& line : split_lines(*text)) {
      const std::size_t comment = line.find('#');
      if (comment == std::string::npos || line.starts_with("thinned")) continue;
      for (const char* word : {"thinned", "cut to a"})
        EXPECT_EQ(line.find(word, comment), std::string::npos) << op.name << ": " << line;
    }
  }
  EXPECT_GT(thinned, 80u);
}

}  // namespace
}  // namespace kgb
