// SPDX-License-Identifier: Apache-2.0
// Counters in the run store: whole as JSON, as rows for SQL, and in a store of the schema before them.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "store/store.hpp"

namespace kgb {
namespace {

CountedCall counted(const std::string& op, const std::string& hash, int call = 1) {
  LaunchCounters launch;
  launch.kernel = "softmax_kernel";
  launch.file = "mine.py";
  launch.line = 21;
  launch.programs = 64;
  launch.work = {{WorkKind::add, "f32", 8000}, {WorkKind::dot, "f16", 2000}, {WorkKind::integer, "i64", 10}};
  launch.arguments = {{"self", "x_ptr", {8, 256, 1024, 32}, {}, {}, 512, 0},
                      {"output return", "out_ptr", {}, {8, 256, 1024, 40}, {}, 0, 1024}};
  launch.loops = {{"mine.py", 14, 64, 128}};
  CallCounters counters;
  counters.op = op;
  counters.workload = "s3";
  counters.call = call;
  counters.launches = {launch};
  counters.arguments = launch.arguments;
  return {"2026-12-01T10:00:00Z", "0.1.0", "mine.py", hash, "aa", "self f32[64,4]", counters};
}

class CountRowsTest : public ::testing::Test {
 protected:
  CountRowsTest() : folder_(TempDir::make().value()), file_(folder_.path() / "run.sqlite") {}
  Store open() { return Store::open(file_).value(); }
  std::int64_t number(const std::string& sql) {
    return SQLite::Database(file_.string()).execAndGet(sql).getInt64();
  }
  TempDir folder_;
  std::filesystem::path file_;
};

TEST_F(CountRowsTest, KeepsCallsWholeInTheOrderTheyCameWithoutARun) {
  ASSERT_TRUE(
      open().record_counts({counted("aten::softmax", "h1", 1), counted("aten::softmax", "h1", 2)}).ok());
  ASSERT_TRUE(open().record_counts({counted("aten::add", "h2")}).ok());
  Store again = Store::open_existing(file_).value();
  EXPECT_TRUE(again.runs().value().empty());
  const auto all = again.counts().value();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].counters, counted("aten::softmax", "h1", 2).counters);
  EXPECT_EQ(all[1].description, "self f32[64,4]");
  EXPECT_EQ(again.counts("aten::add").value().size(), 1U);
  EXPECT_EQ(again.counts("", "h1").value().size(), 2U);
  EXPECT_TRUE(again.counts("aten::add", "h1").value().empty());
}

TEST_F(CountRowsTest, RowsHaveTheSumsThatSqlAsksFor) {
  ASSERT_TRUE(open().record_counts({counted("aten::softmax", "h1")}).ok());
  EXPECT_EQ(number("SELECT flops FROM counted_launch"), 10'000);
  EXPECT_EQ(number("SELECT tensor_flops FROM counted_launch"), 2000);
  EXPECT_EQ(number("SELECT unique_bytes FROM counted_launch"), 512 + 1024);
  EXPECT_EQ(number("SELECT sectors FROM counted_launch"), 72);
  EXPECT_EQ(number("SELECT count FROM counted_work WHERE kind = 'integer' AND type = 'i64'"), 10);
  EXPECT_EQ(number("SELECT written_bytes FROM counted_argument WHERE parameters = 'out_ptr'"), 1024);
  EXPECT_EQ(number("SELECT trips / entered FROM counted_loop WHERE line = 14"), 2);
}

TEST_F(CountRowsTest, AStoreOfTheFirstSchemaGetsTheTablesAndKeepsItsRun) {
  {
    SQLite::Database old(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    old.exec(
        read_file(std::filesystem::path(KGB_SOURCE_DIR) / "src/store/migrations/0001.sql", 1 << 20).value());
    old.exec("PRAGMA user_version = 1");
    old.exec(
        "INSERT INTO run VALUES "
        "('r1','t',NULL,'running','0.1.0','experts','demo','cpu','smoke','model','','aa',"
        "'{}')");
  }
  Store store = Store::open_existing(file_).value();
  EXPECT_EQ(store.runs().value().at(0).id, "r1");
  ASSERT_TRUE(store.record_counts({counted("aten::softmax", "h1")}).ok());
  EXPECT_EQ(store.counts().value().size(), 1U);
  EXPECT_EQ(number("PRAGMA user_version"), 6);
}

}  // namespace
}  // namespace kgb
