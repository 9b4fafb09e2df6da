// SPDX-License-Identifier: Apache-2.0
// Runs that fit together become one; what would make its numbers mean two things is refused.
#include "campaign/merge.hpp"

#include <gtest/gtest.h>

#include "base/files.hpp"

namespace kgb {
namespace {

namespace fs = std::filesystem;

RunInfo facts() {
  RunInfo run;
  run.contestant = "one-shot";
  run.model = "m";
  run.method = R"({"name": "one-shot"})";
  run.suite = "demo";
  run.chip = "cpu";
  run.tiers = "smoke";
  run.tolerance = "model";
  run.status = "running";
  run.seed = "2a";
  run.host = "{}";
  return run;
}

class Merge : public ::testing::Test {
 protected:
  // A run of one operator in a folder of its own; judged with `verdict`, or, without one, generated only.
  fs::path run(const std::string& name, const std::string& op, std::optional<Verdict> verdict,
               RunInfo info = facts()) {
    const fs::path folder = place_.path() / name;
    EXPECT_TRUE(make_folders(folder).ok());
    Store store = Store::open(folder / "run.sqlite").value();
    info.id = name;
    EXPECT_TRUE(store.begin_run(info, {{0, op, 0, candidate_place(op, 0), "passed", "3 of 3"}}).ok());
    const RunItem item = store.items(name).value().front();
    EXPECT_TRUE(make_folders((folder / item.candidate).parent_path()).ok());
    EXPECT_TRUE(write_file(folder / item.candidate, "x = 1\n").ok());
    if (!verdict) return folder;
    Evaluation evaluation;
    evaluation.op = op;
    evaluation.chip = info.chip;
    evaluation.verdict = *verdict;
    EXPECT_TRUE(store.record(item, evaluation, "x = 1\n").ok());
    return folder;
  }
  Result<Merged> merged(const std::vector<fs::path>& folders) {
    std::vector<StoredRun> runs;
    for (const fs::path& folder : folders) runs.push_back(open_run(folder).value());
    return merge_runs(runs, place_.path() / "all");
  }
  TempDir place_ = TempDir::make().value();
};

TEST_F(Merge, PartsOfASuiteBecomeOneRunWithWhatWasRecordedOfThem) {
  const Result<Merged> all =
      merged({run("a", "aten::neg", Verdict::pass), run("b", "aten::mul", std::nullopt)});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->items, 2);
  EXPECT_EQ(all->evaluations, 1);
  EXPECT_EQ(all->open, 1);
  const StoredRun joined = open_run(place_.path() / "all").value();
  EXPECT_EQ(joined.run.status, "stopped");
  for (const RunItem& item : joined.store.items(joined.run.id).value()) {
    EXPECT_EQ(item.recorded + ": " + item.recorded_evidence, "passed: 3 of 3");
    EXPECT_TRUE(fs::exists(candidate_file(joined.folder, item)));
  }
}

TEST_F(Merge, AConflictingProtocolIsNamedAndNothingIsWritten) {
  const fs::path first = run("a", "aten::neg", Verdict::pass);
  const std::pair<const char*, std::string RunInfo::*> conflicts[] = {
      {"contestant", &RunInfo::contestant}, {"model", &RunInfo::model},
      {"method", &RunInfo::method},         {"chip", &RunInfo::chip},
      {"tiers", &RunInfo::tiers},           {"tolerance", &RunInfo::tolerance},
      {"targets", &RunInfo::targets}};
  for (const auto& [name, fact] : conflicts) {
    RunInfo other = facts();
    other.*fact = "another";
    const Result<Merged> all = merged({first, run(name, "aten::mul", Verdict::pass, other)});
    ASSERT_FALSE(all.ok()) << name;
    EXPECT_EQ(all.error().fault, Fault::user);
    EXPECT_NE(all.error().message.find(std::string("their ") + name + " differs"), std::string::npos);
    EXPECT_FALSE(fs::exists(place_.path() / "all"));
  }
}

TEST_F(Merge, ASampleWithTwoVerdictsIsRefusedAndOneThatWasJudgedOnceIsTakenSo) {
  const fs::path judged = run("a", "aten::neg", Verdict::pass);
  const Result<Merged> refused = merged({judged, run("b", "aten::neg", Verdict::wrong_value)});
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("both hold aten::neg sample 0"), std::string::npos);
  const Result<Merged> all = merged({run("c", "aten::neg", std::nullopt), judged});
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->evaluations, 1);
}

}  // namespace
}  // namespace kgb
