// SPDX-License-Identifier: Apache-2.0
// Specification of prices: what is known costs what the table says, what is not known costs nothing known.
#include "llm/prices.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"

namespace kgb::llm {
namespace {

const Usage kUsage{
    .known = true, .prompt = 1000, .cached = 300, .cache_write = 200, .completion = 50, .reasoning = 20};

std::string row(const std::string& more) {
  return R"({"prompt": 10, "completion": 100, "date": "2026-12-01", "source": "s", )" + more + "}";
}

class PricesTest : public testing::Test {
 protected:
  Result<std::vector<Price>> load(const std::string& rows) {
    EXPECT_TRUE(write_file(file_, "{\"prices\": [" + rows + "]}").ok());
    return load_prices(file_);
  }
  TempDir folder_ = TempDir::make("prices").value();
  std::filesystem::path file_ = folder_.path() / "prices.json";
};

TEST_F(PricesTest, EachKindOfTokenHasItsPrice) {
  const auto prices = load(row(R"("models": ["m"], "cached": 1, "cache_write": 12)"));
  ASSERT_TRUE(prices.ok()) << prices.error().message;
  // 500 fresh, 300 cached, 200 written, 50 generated: reasoning is among them already.
  EXPECT_DOUBLE_EQ(*dollars(*prices, "m", kUsage), (500 * 10 + 300 * 1 + 200 * 12 + 50 * 100) / 1e6);
}

TEST_F(PricesTest, WithoutADiscountTheWholePromptCostsTheSame) {
  const auto prices = load(row(R"("models": ["m"])"));
  EXPECT_DOUBLE_EQ(*dollars(*prices, "m", kUsage), (1000 * 10 + 50 * 100) / 1e6);
}

TEST_F(PricesTest, UnknownIsUnknownAndNotFree) {
  const auto prices = load(row(R"("models": ["m"])"));
  EXPECT_EQ(dollars(*prices, "other", kUsage), std::nullopt);
  EXPECT_EQ(dollars(*prices, "m-2", kUsage), std::nullopt) << "a name is no prefix";
  EXPECT_EQ(dollars(*prices, "m", Usage{}), std::nullopt);
  EXPECT_EQ(dollars({}, "m", kUsage), std::nullopt);
}

TEST_F(PricesTest, ANameBeatsAPrefixAndALongPrefixAShortOne) {
  const auto prices = load(row(R"("models": ["m-1*"])") + "," + row(R"("models": ["m-*", "m-1-x"])"));
  EXPECT_EQ(price_of(*prices, "m-1-x")->model, "m-1-x");
  EXPECT_EQ(price_of(*prices, "m-1-y")->model, "m-1*");
  EXPECT_EQ(price_of(*prices, "m-2")->model, "m-*");
  EXPECT_EQ(price_of(*prices, "n"), nullptr);
}

TEST_F(PricesTest, AMistakeIsToldByItsRow) {
  const auto said = [&](const std::string& bad) {
    const auto loaded = load(row(R"("models": ["m"])") + "," + bad);
    return loaded.ok() ? std::string() : loaded.error().message.substr(file_.string().size());
  };
  EXPECT_EQ(said(R"({"prompt": -1})"), ": prices[1]: prompt: must be dollars for a million tokens");
  EXPECT_EQ(said(R"({"prompt": 1, "completion": 1})"),
            ": prices[1]: date, source: must say when and where the price was read");
  EXPECT_EQ(said(row(R"("models": [])")),
            ": prices[1]: models: must be a list of names, or of prefixes that end in *");
  EXPECT_FALSE(load_prices(folder_.path() / "none.json").ok());
}

TEST(Prices, TheShippedTableIsRead) {
  const auto prices = load_prices(std::filesystem::path(KGB_SOURCE_DIR) / "catalogue" / "prices.json");
  ASSERT_TRUE(prices.ok()) << prices.error().message;
  EXPECT_NE(price_of(*prices, "claude-sonnet-4-5-20250929"), nullptr);
  EXPECT_EQ(price_of(*prices, "claude-opus-5-9"), nullptr)
      << "a later model is no dated form of an earlier one";
}

}  // namespace
}  // namespace kgb::llm
