// SPDX-License-Identifier: Apache-2.0
// The ledger: attempts and model calls come back as they were written, unknown stays unknown, and stores of
// the schema before it are brought up to date.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "store/store.hpp"

namespace kgb {
namespace {

class LedgerRowsTest : public ::testing::Test {
 protected:
  LedgerRowsTest() : folder_(TempDir::make().value()), file_(folder_.path() / "run.sqlite") {}
  Store begun() {
    Store store = Store::open(file_).value();
    RunInfo run;
    run.id = "run";
    run.created = "2026-12-01T10:00:00Z";
    run.status = "running";
    run.model = "some-model";
    run.method = R"({"name":"repair","rounds":3})";
    EXPECT_TRUE(store.begin_run(run, {{0, "aten::add", 0, "a.py"}, {0, "aten::add", 1, "b.py"}}).ok());
    return store;
  }
  TempDir folder_;
  std::filesystem::path file_;
};

ModelCall called(std::int64_t item) {
  ModelCall call;
  call.item = item;
  call.created = "2026-12-01T10:00:01Z";
  call.model = "some-model";
  call.wire = "openai";
  call.status = "ok";
  call.finish = "stop";
  call.prompt = 1200;
  call.cached = 1000;
  call.completion = 300;
  call.seconds = 4.5;
  call.tries = 2;
  return call;
}

TEST_F(LedgerRowsTest, TheRunKeepsItsModelAndWhatTheMethodWasTold) {
  begun();
  const std::vector<RunInfo> runs = Store::open_existing(file_).value().runs().value();
  ASSERT_EQ(runs.size(), 1U);
  EXPECT_EQ(runs[0].model, "some-model");
  EXPECT_EQ(runs[0].method, R"({"name":"repair","rounds":3})");
}

TEST_F(LedgerRowsTest, UnknownTokensAndCostsStayUnknownAndAreNoZeros) {
  Store store = begun();
  ASSERT_TRUE(store.record_call(called(1)).ok());
  const std::vector<ModelCall> calls = store.calls("run").value();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].prompt, 1200);
  EXPECT_EQ(calls[0].cached, 1000);
  EXPECT_FALSE(calls[0].reasoning.has_value());
  EXPECT_FALSE(calls[0].dollars.has_value());
  EXPECT_EQ(calls[0].tries, 2);
  SQLite::Database db(file_.string());
  EXPECT_EQ(db.execAndGet("SELECT count(*) FROM model_call WHERE dollars IS NULL").getInt(), 1);
}

TEST_F(LedgerRowsTest, CallsStandByItemInTheOrderTheyWereMade) {
  Store store = begun();
  for (const std::int64_t item : {2, 1, 2}) {
    ModelCall call = called(item);
    call.round = static_cast<int>(store.calls("run").value().size());
    ASSERT_TRUE(store.record_call(call).ok());
  }
  std::vector<int> rounds;
  for (const ModelCall& call : store.calls("run").value()) rounds.push_back(call.round);
  EXPECT_EQ(rounds, (std::vector<int>{1, 0, 2}));
}

TEST_F(LedgerRowsTest, AnAttemptIsWrittenOnceAndKeepsItsText) {
  Store store = begun();
  Attempt attempt{1,  0,   "2026-12-01T10:00:02Z", "def add(): pass\n", "first", "wrong_value", 0.5, {},
                  {}, "{}"};
  ASSERT_TRUE(store.record_attempt(attempt).ok());
  EXPECT_FALSE(store.record_attempt(attempt).ok());  // the same item and round
  attempt.round = 1;
  attempt.source = "caf\xe9";
  attempt.speedup = 1.25;
  ASSERT_TRUE(store.record_attempt(attempt).ok());
  const std::vector<Attempt> all = store.attempts("run").value();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].source, "def add(): pass\n");
  EXPECT_FALSE(all[0].speedup.has_value());
  EXPECT_EQ(all[1].source, "caf\xef\xbf\xbd");
  EXPECT_EQ(all[1].speedup, 1.25);
}

TEST_F(LedgerRowsTest, AnItemThatIsNotThereIsRefused) {
  Store store = begun();
  EXPECT_FALSE(store.record_call(called(77)).ok());
}

}  // namespace
}  // namespace kgb
