// SPDX-License-Identifier: Apache-2.0
// Published tables: the files that ship are whole, and rows of runs are made by the published definitions.
#include "report/published.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files.hpp"
#include "runs.hpp"

namespace kgb {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(KGB_SOURCE_DIR) / "catalogue/published";

TEST(PublishedTables, ShipWholeWithTheirSource) {
  EXPECT_EQ(published_names(kFolder), (std::vector<std::string>{"a100", "cost", "platforms"}));
  for (const std::string& name : published_names(kFolder)) {
    const PublishedTable table = load_published(kFolder, name).value();
    EXPECT_FALSE(table.source.empty());
    for (const PublishedRow& row : table.rows) {
      EXPECT_FALSE(row.ours);
      EXPECT_EQ(row.cells.size(), table.columns.size()) << name << ": " << row.method;
      for (const auto& [key, title] : table.columns)
        EXPECT_TRUE(row.cells.contains(key)) << row.method << key;
    }
  }
  EXPECT_EQ(load_published(kFolder, "a100")->rows.size(), 21U);
  EXPECT_EQ(load_published(kFolder, "platforms")->rows.size(), 15U);
  EXPECT_EQ(load_published(kFolder, "cost")->rows.size(), 9U);
}

// The all-operator column of a table by source is the mean of its parts, weighted by their operators.
TEST(PublishedTables, HaveSourcesThatAddUp) {
  const auto table = load_published(kFolder, "a100");
  ASSERT_TRUE(table.ok()) << table.error().message;
  for (const PublishedRow& row : table->rows) {
    const double all = (110 * *row.cells.at("aten").accuracy + 50 * *row.cells.at("vllm").accuracy +
                        50 * *row.cells.at("cublas").accuracy) /
                       210;
    EXPECT_NEAR(*row.cells.at("all").accuracy, all, 2.0) << row.method;
  }
}

TEST(PublishedTables, KnowTheirNames) {
  const auto none = load_published(kFolder, "a10");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("did you mean 'a100'?"), std::string::npos) << none.error().message;
}

TEST(PublishedTables, SayWhichFileIsDamaged) {
  const TempDir folder = TempDir::make().value();
  std::ofstream(folder.path() / "bad.json") << R"({"title": 3})";
  std::ofstream(folder.path() / "protocol.json") << R"({"differences": []})";
  EXPECT_NE(load_published(folder.path(), "bad").error().message.find("bad.json"), std::string::npos);
}

TEST(PublishedTables, ShowSeveralSamplesAsPassAtOneAndAsThePublishedUnionWithTheBestSpeedup) {
  const RunReport run = run_of("r", {{"aten::add", Verdict::pass, {2}, 0},
                                     {"aten::add", Verdict::pass, {8}, 1},
                                     {"aten::mul", Verdict::timeout, {}, 0},
                                     {"aten::mul", Verdict::timeout, {}, 1}});
  PublishedTable table = load_published(kFolder, "a100").value();
  add_runs(table, {&run});
  const PublishedRow& one = table.rows[table.rows.size() - 2];
  const PublishedRow& any = table.rows.back();
  EXPECT_EQ(one.method, "r, pass@1");
  EXPECT_NEAR(*one.cells.at("all").speedup, 4, 1e-12);
  EXPECT_EQ(any.method, "r, union@2");
  EXPECT_NEAR(*any.cells.at("all").speedup, 8, 1e-12);
  EXPECT_EQ(any.cells.at("all").accuracy, 50);
}

TEST(PublishedTables, TwoRunsOfOneContestantOnOneChipStayApart) {
  RunReport first = run_of("first", {{"aten::add"}}), second = run_of("second", {{"aten::add"}});
  second.run.model = first.run.model;
  PublishedTable table = load_published(kFolder, "platforms").value();
  const std::size_t before = table.rows.size();
  add_runs(table, {&first, &second});
  EXPECT_EQ(table.rows.size(), before + 2);
}

TEST(PublishedTables, MarkRowsAndListWhatDiffers) {
  const RunReport run = run_of("mine", {{"aten::add", Verdict::pass, {1.5}}});
  PublishedTable table = load_published(kFolder, "a100").value();
  add_runs(table, {&run});
  const std::string text = published_text(table);
  EXPECT_NE(text.find("  published  Claude Code Opus"), std::string::npos) << text;
  EXPECT_NE(text.find("  ours       mine"), std::string::npos) << text;
  EXPECT_NE(text.find("    published: NVIDIA A100\n    ours:      h200\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace kgb
