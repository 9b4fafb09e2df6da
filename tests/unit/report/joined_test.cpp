// SPDX-License-Identifier: Apache-2.0
// A store that holds a run for each of several chips: every figure is of one chip.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "report/contestants.hpp"
#include "report/statistics.hpp"
#include "runs.hpp"

namespace kgb {
namespace {

// Two samples of two operators: on the one chip half of them pass, on the other all, and faster.
RunReport on(const std::string& chip) {
  const bool good = chip == "h200";
  std::vector<Judged> rows;
  for (const int sample : {0, 1})
    for (const char* op : {"aten::add", "aten::mul"})
      rows.push_back(
          {op, good || sample == 0 ? Verdict::pass : Verdict::timeout, {good ? 4.0 : 1.0}, sample});
  RunReport report = run_of("all@" + chip, rows);
  report.run.chip = chip;
  report.run.model = "m";
  report.run.status = "complete";
  for (StoredEvaluation& stored : report.evaluations) stored.evaluation.chip = chip;
  return report;
}

class Joined : public ::testing::Test {
 protected:
  Joined() {
    for (const char* chip : {"cpu", "h200"}) {
      const RunReport report = on(chip);
      std::vector<RunItem> items;
      for (const StoredEvaluation& stored : report.evaluations) items.push_back(stored.item);
      EXPECT_TRUE(store_.begin_run(report.run, items).ok());
      const std::vector<RunItem> written = store_.items(report.run.id).value();
      for (std::size_t i = 0; i < written.size(); ++i)
        EXPECT_TRUE(store_.record(written[i], report.evaluations[i].evaluation, "x = 1\n").ok());
    }
  }
  TempDir folder_ = TempDir::make().value();
  Store store_ = Store::open(folder_.path() / "run.sqlite").value();
};

TEST_F(Joined, EveryFigureIsThatOfTheChipsOwnRun) {
  const std::vector<RunReport> chips = load_reports(store_).value();
  ASSERT_EQ(chips.size(), 2U);
  for (std::size_t i = 0; i < chips.size(); ++i) {
    RunReport alone = on(i == 0 ? "cpu" : "h200");
    alone.families.clear();  // a store knows none
    EXPECT_EQ(chips[i].run.chip, alone.run.chip);
    const nlohmann::json told = statistics_json(chips[i]);
    EXPECT_EQ(told, statistics_json(alone));
    EXPECT_TRUE(told["pass@k"].contains("pass@2"));
    EXPECT_FALSE(told["pass@k"].contains("pass@4")) << "four samples are those of both chips";
  }
  EXPECT_EQ(statistics_json(chips[0])["accuracy"]["all"]["value"], 0.5);
  EXPECT_EQ(statistics_json(chips[1])["accuracy"]["all"]["value"], 1.0);
}

TEST_F(Joined, OneOfItsRunsIsFoundByItsName) {
  EXPECT_EQ(load_report(store_, "all@h200").value().run.chip, "h200");
  EXPECT_FALSE(load_report(store_, "all").ok());
}

TEST_F(Joined, TheTableHasABlockForEachChipAndTheDocumentARun) {
  const std::vector<RunReport> chips = load_reports(store_).value();
  for (const ReportRow& row : reports()) {
    if (row.join == nullptr) continue;
    const std::string text = row.join({row.make(chips[0], {}), row.make(chips[1], {})});
    if (row.name == "table") {
      EXPECT_LT(text.find("2 of 4 pass"), text.find("chip h200")) << text;
      EXPECT_NE(text.find("4 of 4 pass"), std::string::npos) << text;
      EXPECT_EQ(text.find("6 of 8"), std::string::npos) << text;
      continue;
    }
    ASSERT_EQ(row.name, "json");
    const nlohmann::json runs = nlohmann::json::parse(text).at("runs");
    EXPECT_EQ(runs.at(0).at("run").at("chip"), "cpu");
    EXPECT_EQ(runs.at(1).at("counts").at("passed"), 4);
  }
}

TEST_F(Joined, ChipsMeetAsContestantsAndNeverAsOne) {
  const std::vector<RunReport> chips = load_reports(store_).value();
  const Contest contest = contest_of({&chips[0], &chips[1]});
  ASSERT_EQ(contest.contestants.size(), 2U);
  EXPECT_EQ(contest.contestants[0].label, contest.contestants[1].label);
  EXPECT_EQ(contest.contestants[0].accuracy.passed, 2);
  EXPECT_EQ(contest.contestants[1].accuracy.passed, 4);
  EXPECT_NEAR(contest.contestants[1].speedup->estimate, 4, 1e-12);
}

}  // namespace
}  // namespace kgb
