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
               RunInfo info = facts(), const std::string& source = "x = 1\n") {
    const fs::path folder = place_.path() / name;
    EXPECT_TRUE(make_folders(folder).ok());
    Store store = Store::open(folder / "run.sqlite").value();
    info.id = name;
    EXPECT_TRUE(store.begin_run(info, {{0, op, 0, candidate_place(op, 0), "passed", "3 of 3"}}).ok());
    const RunItem item = store.items(name).value().front();
    EXPECT_TRUE(make_folders((folder / item.candidate).parent_path()).ok());
    EXPECT_TRUE(write_file(folder / item.candidate, source).ok());
    if (!verdict) return folder;
    Evaluation evaluation;
    evaluation.op = op;
    evaluation.chip = info.chip;
    evaluation.verdict = *verdict;
    EXPECT_TRUE(store.record(item, evaluation, source).ok());
    ModelCall call;
    call.item = item.id;
    call.status = "ok";
    call.model = info.chip;
    EXPECT_TRUE(store.record_call(call).ok());
    return folder;
  }
  fs::path run_on(const std::string& chip, const std::string& name, std::optional<Verdict> verdict) {
    RunInfo info = facts();
    info.chip = chip;
    return run(name, "aten::neg", verdict, info, "x = '" + chip + "'\n");
  }
  Result<Merged> merged(const std::vector<fs::path>& folders, const std::string& out = "all") {
    std::vector<StoredRun> runs;
    for (const fs::path& folder : folders) {
      std::vector<StoredRun> held = open_runs(folder).value();
      std::move(held.begin(), held.end(), std::back_inserter(runs));
    }
    return merge_runs(runs, place_.path() / out);
  }
  TempDir place_ = TempDir::make().value();
};

TEST_F(Merge, AQuickRunIsNotJoinedWithACarefulOne) {
  RunInfo quick = facts();
  quick.profile = "quick";
  const Result<Merged> all =
      merged({run("a", "aten::neg", Verdict::pass), run("b", "aten::mul", Verdict::pass, quick)});
  ASSERT_FALSE(all.ok());
  EXPECT_NE(all.error().message.find("their profile differs ('careful' and 'quick')"), std::string::npos)
      << all.error().message;
  const Result<Merged> same = merged(
      {run("c", "aten::neg", Verdict::pass, quick), run("d", "aten::mul", Verdict::pass, quick)}, "quick");
  ASSERT_TRUE(same.ok()) << same.error().message;
  EXPECT_EQ(open_run(place_.path() / "quick").value().run.profile, "quick");
}

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
      {"method", &RunInfo::method},         {"tiers", &RunInfo::tiers},
      {"tolerance", &RunInfo::tolerance},   {"targets", &RunInfo::targets}};
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

TEST_F(Merge, OfSeveralChipsEachKeepsARunOfItsOwn) {
  const fs::path cpu = run_on("cpu", "a", Verdict::pass), h200 = run_on("h200", "b", Verdict::wrong_value);
  const Result<Merged> all = merged({h200, cpu});
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(all->chips, 2);
  EXPECT_EQ(all->items, 2);
  EXPECT_EQ(all->evaluations, 2);
  for (const auto& [chip, verdict] : {std::pair("cpu", Verdict::pass), {"h200", Verdict::wrong_value}}) {
    const StoredRun one = open_run(place_.path() / "all", chip).value();
    EXPECT_EQ(one.run.id, std::string("all@") + chip);
    EXPECT_EQ(one.run.status, "complete");
    EXPECT_EQ(one.own, place_.path() / "all" / "chips" / chip);
    const std::vector<StoredSample> samples = stored_samples(one).value();
    ASSERT_EQ(samples.size(), 1U);
    EXPECT_EQ(samples.front().evaluation->verdict, verdict);
    EXPECT_EQ(samples.front().source, std::string("x = '") + chip + "'\n");
    EXPECT_EQ(read_file(candidate_file(one.folder, samples.front().item), kMaxCandidateBytes).value(),
              samples.front().source);
    const std::vector<ModelCall> calls = one.store.calls(one.run.id).value();
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(calls.front().model, chip);
    EXPECT_EQ(calls.front().item, samples.front().item.id);
  }
}

TEST_F(Merge, AJoinedRunIsJoinedFurtherChipByChip) {
  const fs::path cpu = run_on("cpu", "a", Verdict::pass), h200 = run_on("h200", "b", std::nullopt);
  ASSERT_TRUE(merged({cpu, h200}).ok());
  const fs::path all = place_.path() / "all";
  const Result<Merged> more = merged({all, run("c", "aten::mul", Verdict::pass)}, "more");
  ASSERT_TRUE(more.ok()) << more.error().message;
  EXPECT_EQ(more->chips, 2);
  EXPECT_EQ(more->items, 3);
  EXPECT_EQ(more->open, 1);
  EXPECT_EQ(open_run(place_.path() / "more", "cpu").value().run.status, "complete");
  EXPECT_EQ(open_run(place_.path() / "more", "h200").value().run.status, "stopped");
  const Result<Merged> refused = merged({all, run_on("cpu", "d", Verdict::timeout)}, "none");
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("both hold aten::neg sample 0"), std::string::npos);
}

TEST_F(Merge, AChipThatIsNotInAJoinedRunIsAnsweredWithThoseThatAre) {
  ASSERT_TRUE(merged({run_on("cpu", "a", Verdict::pass), run_on("h200", "b", Verdict::pass)}).ok());
  const Result<StoredRun> none = open_run(place_.path() / "all", "gfx942");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().fault, Fault::user);
  EXPECT_NE(none.error().message.find("joins runs on the chips cpu, h200 and none on 'gfx942'"),
            std::string::npos)
      << none.error().message;
}

TEST_F(Merge, AChipThatIsAPathIsRefused) {
  const fs::path first = run_on("cpu", "a", Verdict::pass);
  int number = 0;
  for (const char* chip : {"../up", "..", "/etc", ""}) {
    const Result<Merged> refused =
        merged({first, run_on(chip, "b" + std::to_string(++number), Verdict::pass)});
    ASSERT_FALSE(refused.ok()) << chip;
    EXPECT_NE(refused.error().message.find("is no name of a chip"), std::string::npos);
    EXPECT_FALSE(fs::exists(place_.path() / "all"));
  }
}

}  // namespace
}  // namespace kgb
