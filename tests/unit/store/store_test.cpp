// SPDX-License-Identifier: Apache-2.0
// The run store: what is in it after each kind of stop, and what it refuses.
#include "store/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <limits>

#include "base/files.hpp"

namespace kgb {
namespace {

RunInfo demo_run() {
  return {"r1", "2026-12-01T10:00:00Z", "",   "running", "0.1.0", "experts", "demo", "cpu", "smoke", "model",
          "",   "00000000000000aa",     "{}", "",        "{}"};
}

Evaluation passing(const std::string& op) {
  Evaluation e;
  e.op = op;
  e.verdict = Verdict::pass;
  e.reached = Gate::correct;
  e.workloads.push_back({"s0", "smoke", "self f32[4]", Verdict::pass, 0.25, "return[3]", 4, "abcd"});
  e.workloads.push_back({"s1", "smoke", "self f32[5]", Verdict::wrong_value,
                         std::numeric_limits<double>::infinity(), "return[0]", 5, "ef"});
  e.targets.push_back({"sm_90", true, "", 32, 0, 0, 1});
  e.timings.push_back({"s0",
                       1e-3,
                       2e-3,
                       2.0,
                       1.9,
                       2.1,
                       "faster",
                       "torch",
                       "",
                       {},
                       {},
                       {},
                       "events",
                       Published{3e-3, std::nullopt, "no torch"}});
  e.findings.push_back({"value_mismatch", Gate::correct, "off", "s1", "mine.py", 7, {{"index", "0"}}});
  e.stage_ms = {{"total", 12.5}};
  e.seed = "aa";
  return e;
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() : folder_(TempDir::make().value()), file_(folder_.path() / "run.sqlite") {}
  Store open() { return Store::open(file_).value(); }
  TempDir folder_;
  std::filesystem::path file_;
};

TEST_F(StoreTest, KeepsAnEvaluationWhole) {
  {
    Store store = open();
    ASSERT_TRUE(store.begin_run(demo_run(), {{0, "aten::add", 0, "a.py"}, {0, "aten::mul", 0, "b.py"}}).ok());
    const auto pending = store.pending("r1").value();
    ASSERT_EQ(pending.size(), 2U);
    ASSERT_TRUE(store.record(pending[0], passing("aten::add"), "source text").ok());
  }
  Store again = Store::open_existing(file_).value();
  EXPECT_EQ(again.item_count("r1").value(), 2);
  const auto pending = again.pending("r1").value();
  ASSERT_EQ(pending.size(), 1U);
  EXPECT_EQ(pending[0].op, "aten::mul");
  const auto stored = again.evaluations("r1").value();
  ASSERT_EQ(stored.size(), 1U);
  const Evaluation& e = stored[0].evaluation;
  EXPECT_EQ(stored[0].source, "source text");
  EXPECT_EQ(e.verdict, Verdict::pass);
  ASSERT_EQ(e.workloads.size(), 2U);
  EXPECT_EQ(e.workloads[0].worst_ratio, 0.25);
  EXPECT_EQ(e.workloads[1].worst_ratio, std::numeric_limits<double>::infinity());
  EXPECT_EQ(e.timings.at(0).ratio, 2.0);
  EXPECT_EQ(e.timings.at(0).span, "events");
  EXPECT_EQ(e.timings.at(0).published->candidate, 3e-3);
  EXPECT_EQ(e.findings.at(0).details.at("index"), "0");
}

TEST_F(StoreTest, RefusesToJudgeAnItemTwice) {
  Store store = open();
  ASSERT_TRUE(store.begin_run(demo_run(), {{0, "aten::add", 0, "a.py"}}).ok());
  const RunItem item = store.pending("r1").value().at(0);
  ASSERT_TRUE(store.record(item, passing("aten::add"), "").ok());
  EXPECT_FALSE(store.record(item, passing("aten::add"), "").ok());
  EXPECT_EQ(store.evaluations("r1").value().size(), 1U);
}

TEST_F(StoreTest, RowsAnswerSqlQueries) {
  Store store = open();
  ASSERT_TRUE(store.begin_run(demo_run(), {{0, "aten::add", 0, "a.py"}}).ok());
  ASSERT_TRUE(store.record(store.pending("r1").value().at(0), passing("aten::add"), "").ok());
  SQLite::Database db(file_.string());
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM workload WHERE worst_ratio > 1").getInt(), 1);
  EXPECT_EQ(db.execAndGet("SELECT message FROM finding").getString(), "off");
  EXPECT_EQ(db.execAndGet("SELECT registers FROM target").getInt(), 32);
  EXPECT_EQ(db.execAndGet("SELECT call FROM timing").getString(), "faster");
  EXPECT_EQ(db.execAndGet("SELECT span FROM timing").getString(), "events");
  EXPECT_EQ(db.execAndGet("SELECT published_candidate_s FROM timing").getDouble(), 3e-3);
  EXPECT_TRUE(db.execAndGet("SELECT published_baseline_s FROM timing").isNull());
  EXPECT_EQ(db.execAndGet("SELECT published_why FROM timing").getString(), "no torch");
}

TEST_F(StoreTest, AKilledWriterLeavesWholeEvaluationsOnly) {
  std::vector<RunItem> items;
  for (int i = 0; i < 400; ++i) items.push_back({0, "op" + std::to_string(i), 0, "x.py"});
  ASSERT_TRUE(open().begin_run(demo_run(), items).ok());
  for (int round = 0; round < 5; ++round) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Store store = Store::open(file_).value();
      for (const RunItem& item : store.pending("r1").value()) (void)store.record(item, passing(item.op), "s");
      ::_exit(0);
    }
    ::usleep(static_cast<useconds_t>(4000 + 7000 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    Store store = open();
    const std::size_t done = store.evaluations("r1").value().size();
    EXPECT_EQ(done + store.pending("r1").value().size(), 400U);
    SQLite::Database db(file_.string());
    EXPECT_EQ(db.execAndGet("SELECT count(*) FROM workload").getInt(), static_cast<int>(2 * done));
  }
}

TEST_F(StoreTest, RefusesAStoreOfALaterVersion) {
  {
    (void)open();
  }
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const auto later = Store::open_existing(file_);
  ASSERT_FALSE(later.ok());
  EXPECT_EQ(later.error().message,
            file_.string() + " was written by a later kgbench (schema 99, this one knows 6). Update kgbench");
}

TEST_F(StoreTest, SaysWhatIsNoStore) {
  const auto missing = Store::open_existing(file_);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().fault, Fault::user);
  std::ofstream(file_) << "this is no database, and long enough to be looked at as one: "
                       << std::string(2000, 'x');
  const auto garbage = Store::open_existing(file_);
  ASSERT_FALSE(garbage.ok());
  EXPECT_NE(garbage.error().message.find("is no run store"), std::string::npos);
}

TEST_F(StoreTest, SaysThatAStoreIsDamagedWhereverItIsCutOff) {
  {
    ASSERT_TRUE(Store::open(file_).ok());
  }
  const auto whole = std::filesystem::file_size(file_);
  for (const std::uintmax_t left : {std::uintmax_t{100}, whole / 3, whole / 2}) {
    std::filesystem::resize_file(file_, left);
    const auto cut = Store::open_existing(file_);
    ASSERT_FALSE(cut.ok()) << left;
    EXPECT_EQ(cut.error().fault, Fault::user);
    EXPECT_NE(cut.error().message.find("is a damaged run store"), std::string::npos) << cut.error().message;
    std::filesystem::remove(file_);
    ASSERT_TRUE(Store::open(file_).ok());
  }
}

}  // namespace
}  // namespace kgb
