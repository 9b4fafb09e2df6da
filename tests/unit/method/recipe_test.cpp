// SPDX-License-Identifier: Apache-2.0
// Recipe files: those that ship are sound, and a mistake is told with its place.
#include "method/recipe.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"
#include "catalogue/toml.hpp"

namespace kgb::method {
namespace {

const std::filesystem::path kShipped = std::filesystem::path(KGB_SOURCE_DIR) / "catalogue" / "methods";

const char* const kSound = R"(schema = "method/1"
title = "t"
repeats = "r"
system = "system"
prompt = "kernel"
)";

class RecipeTest : public ::testing::Test {
 protected:
  RecipeTest() : folder_(TempDir::make().value()) {}
  std::string error_of(const std::string& text) {
    EXPECT_TRUE(write_file(folder_.path() / "mine.toml", text).ok());
    const Result<Recipe> recipe = load_recipe(folder_.path(), "mine");
    return recipe.ok() ? "" : recipe.error().message;
  }
  TempDir folder_;
};

TEST_F(RecipeTest, ShippedRecipesLoadAndTheirTemplatesExist) {
  const std::vector<std::string> names = toml_names(kShipped);
  EXPECT_GE(names.size(), 4U);
  for (const std::string& name : names) {
    const Result<Recipe> recipe = load_recipe(kShipped, name);
    ASSERT_TRUE(recipe.ok()) << recipe.error().message;
    for (const std::string& file : {recipe->system, recipe->prompt, recipe->feedback, recipe->no_code})
      EXPECT_TRUE(file.empty() ||
                  std::filesystem::exists(kShipped.parent_path() / "prompts" / (file + ".md")))
          << name << " " << file;
  }
}

TEST_F(RecipeTest, PublishedTemperaturesAreThoseOfThePaper) {
  EXPECT_EQ(load_recipe(kShipped, "one-shot")->temperature, 0.0);
  EXPECT_EQ(load_recipe(kShipped, "best-of-k")->temperature, 0.8);
  EXPECT_EQ(load_recipe(kShipped, "best-of-k")->samples, 5);
}

TEST_F(RecipeTest, AnUnknownNameIsAnsweredWithWhatMayBeMeant) {
  const Result<Recipe> recipe = load_recipe(kShipped, "one-shoot");
  ASSERT_FALSE(recipe.ok());
  EXPECT_EQ(recipe.error().fault, Fault::user);
  EXPECT_NE(recipe.error().message.find("one-shot"), std::string::npos) << recipe.error().message;
}

TEST_F(RecipeTest, MistakesAreToldWithFileLineAndKey) {
  EXPECT_EQ(error_of(kSound), "");
  EXPECT_NE(error_of(std::string(kSound) + "memory = \"some\"\n").find("mine.toml:6: memory"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(kSound) + "shows = \"evidence\"\n").find("needs the templates"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(kSound) + "colour = 1\n").find("colour"), std::string::npos);
  EXPECT_NE(error_of("schema = \"method/9\"\n").find("method/1"), std::string::npos);
  EXPECT_NE(error_of("schema = ").find("mine.toml:1"), std::string::npos);
  EXPECT_NE(error_of(std::string(kSound) + "rounds = 0\n").find("1 to 100"), std::string::npos);
  EXPECT_NE(error_of(std::string(kSound) + "temperature = nan\n").find("0 to 2"), std::string::npos);
}

TEST_F(RecipeTest, ChangesStandInPlaceOfTheFilesValuesAndAreHeldToTheSameRanges) {
  Recipe recipe = load_recipe(kShipped, "best-of-k").value();
  RecipeChanges changes;
  changes.samples = 3;
  changes.temperature = 0.2;
  ASSERT_TRUE(change(recipe, changes).ok());
  EXPECT_EQ(recipe.samples, 3);
  EXPECT_EQ(recipe.temperature, 0.2);
  changes.samples = 0;
  EXPECT_FALSE(change(recipe, changes).ok());
}

}  // namespace
}  // namespace kgb::method
