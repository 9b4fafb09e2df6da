// SPDX-License-Identifier: Apache-2.0
// Opening a store to read it: nothing is written, old schemas are read, other databases are refused.
#include <SQLiteCpp/SQLiteCpp.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>

#include "base/files.hpp"
#include "store/store.hpp"

namespace kgb {
namespace {

namespace fs = std::filesystem;

RunInfo finished_run() {
  RunInfo run;
  run.id = "r1";
  run.created = "2026-12-01T10:00:00Z";
  run.status = "running";
  run.host = "{}";
  return run;
}

class OpenToReadTest : public ::testing::Test {
 protected:
  OpenToReadTest() : folder_(TempDir::make().value()), file_(folder_.path() / "a b%25?#.sqlite") {}

  void write_run() {
    Store store = Store::open(file_).value();
    ASSERT_TRUE(store.begin_run(finished_run(), {{0, "aten::add", 0, "a.py"}}).ok());
  }
  // Every file of the folder with its bytes.
  std::map<std::string, std::string> snapshot() const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      files[entry.path().filename()] = read_file(entry.path()).value();
    return files;
  }
  // What a later kgbench would find of an earlier one: the first schema with a run in it.
  void write_schema_1() const {
    SQLite::Database db(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db.exec(read_file(fs::path(KGB_SOURCE_DIR) / "src/store/migrations/0001.sql").value());
    db.exec("PRAGMA user_version = 1");
    db.exec("PRAGMA journal_mode = WAL");
    db.exec(
        "INSERT INTO run VALUES ('old', '2026-01-01', NULL, 'complete', '0.0', 'experts', 'demo', 'cpu', "
        "'smoke',"
        " 'model', '', 'aa', '{}')");
  }
  TempDir folder_;
  fs::path file_;
};

TEST_F(OpenToReadTest, LeavesTheFolderAsItIs) {
  write_run();
  const auto before = snapshot();
  {
    const Store store = Store::open_to_read(file_).value();
    EXPECT_EQ(store.runs().value().at(0).id, "r1");
    EXPECT_EQ(store.item_count("r1").value(), 1);
    EXPECT_EQ(snapshot(), before);
  }
  EXPECT_EQ(snapshot(), before);
}

TEST_F(OpenToReadTest, RunsOfBeforeThereWereProfilesWereCareful) {
  write_schema_1();
  EXPECT_EQ(Store::open_to_read(file_).value().runs().value().at(0).profile, "careful");
}

TEST_F(OpenToReadTest, RunsOfBeforeThereWereModesWerePlans) {
  write_schema_1();
  const RunInfo run = Store::open_to_read(file_).value().runs().value().at(0);
  EXPECT_EQ(run.mode, "plan");
  EXPECT_EQ(run.against, "");
  EXPECT_EQ(run.timing, "");
}

TEST_F(OpenToReadTest, RefusesToWrite) {
  write_run();
  Store store = Store::open_to_read(file_).value();
  EXPECT_FALSE(store.set_status("r1", "complete", "").ok());
}

TEST_F(OpenToReadTest, SeesWhatARunThatGoesOnHasWritten) {
  Store writer = Store::open(file_).value();
  ASSERT_TRUE(writer.begin_run(finished_run(), {{0, "aten::add", 0, "a.py"}}).ok());
  EXPECT_EQ(Store::open_to_read(file_).value().runs().value().size(), 1U);
  ASSERT_TRUE(writer.set_status("r1", "complete", "2026-12-01").ok())
      << "the reader is not in the writer's way";
  EXPECT_EQ(Store::open_to_read(file_).value().runs().value().at(0).status, "complete");
}

// A copy of a run that was killed, without the shared index of its log, in a folder that nobody may write.
TEST_F(OpenToReadTest, ReplaysALogThatWasCopiedToAMediumForReading) {
  const fs::path medium = folder_.path() / "medium", copy = medium / "run.sqlite";
  ASSERT_TRUE(make_folders(medium).ok());
  {
    Store writer = Store::open(file_).value();
    ASSERT_TRUE(writer.begin_run(finished_run(), {}).ok());
    fs::copy_file(file_, copy);
    fs::copy_file(file_.string() + "-wal", copy.string() + "-wal");
  }
  fs::permissions(medium, fs::perms::owner_read | fs::perms::owner_exec);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {  // root may write anywhere
    if (::geteuid() == 0) {
      fs::permissions(folder_.path(), fs::perms::all);
      fs::permissions(medium, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
      fs::permissions(copy, fs::perms::owner_all | fs::perms::others_read);
      fs::permissions(copy.string() + "-wal", fs::perms::owner_all | fs::perms::others_read);
      if (::setgroups(0, nullptr) != 0 || ::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(3);
    }
    const Result<Store> store = Store::open_to_read(copy);
    if (!store.ok()) ::_exit(2);
    ::_exit(store->runs().value().size() == 1 ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  fs::permissions(medium, fs::perms::owner_all);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_FALSE(fs::exists(copy.string() + "-shm"));
}

TEST_F(OpenToReadTest, ReadsAnEarlierSchemaAndLeavesItSo) {
  write_schema_1();
  const auto before = snapshot();
  const Store store = Store::open_to_read(file_).value();
  const RunInfo run = store.runs().value().at(0);
  EXPECT_EQ(run.id, "old");
  EXPECT_EQ(run.model, "");
  EXPECT_TRUE(store.calls("old").value().empty());
  EXPECT_TRUE(store.counts().value().empty());
  EXPECT_EQ(snapshot(), before);
}

TEST_F(OpenToReadTest, RefusesAStoreOfALaterVersion) {
  write_run();
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  const auto later = Store::open_to_read(file_);
  ASSERT_FALSE(later.ok());
  EXPECT_NE(later.error().message.find("was written by a later kgbench (schema 99"), std::string::npos);
}

TEST_F(OpenToReadTest, RefusesADatabaseOfSomebodyElse) {
  SQLite::Database(file_.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE photos (id)");
  const auto before = snapshot();
  for (const auto& open : {Store::open_to_read, Store::open_existing, Store::open}) {
    const Result<Store> store = open(file_);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().fault, Fault::user);
    EXPECT_NE(store.error().message.find("is a SQLite database, but no run store"), std::string::npos);
  }
  EXPECT_EQ(snapshot(), before);
}

TEST_F(OpenToReadTest, SaysWhatIsMissingNoDatabaseOrDamaged) {
  EXPECT_NE(Store::open_to_read(file_).error().message.find("no run at"), std::string::npos);
  std::ofstream(file_) << std::string(2000, 'x');
  EXPECT_NE(Store::open_to_read(file_).error().message.find("is no run store"), std::string::npos);
  fs::remove(file_);
  write_run();
  fs::resize_file(file_, fs::file_size(file_) / 2);
  EXPECT_NE(Store::open_to_read(file_).error().message.find("is a damaged run store"), std::string::npos);
}

}  // namespace
}  // namespace kgb
