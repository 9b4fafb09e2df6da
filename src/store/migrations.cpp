// SPDX-License-Identifier: Apache-2.0
// The migrations of the run store, embedded from src/store/migrations/NNNN.sql.
#include "store/migrations.hpp"

#include <array>
#include <string>

extern "C" const char kgb_migration_0001[];
extern "C" const char kgb_migration_0002[];
extern "C" const char kgb_migration_0003[];
extern "C" const char kgb_migration_0004[];
extern "C" const char kgb_migration_0005[];
extern "C" const char kgb_migration_0006[];

namespace kgb {
namespace {

const std::array<const char*, 6> kMigrations{kgb_migration_0001, kgb_migration_0002, kgb_migration_0003,
                                             kgb_migration_0004, kgb_migration_0005, kgb_migration_0006};

}  // namespace

int newest_schema() {
  return static_cast<int>(kMigrations.size());
}

int schema_of(SQLite::Database& db) {
  // user_version is SQLite's own place for a schema number and is 0 in a new file.
  return db.execAndGet("PRAGMA user_version").getInt();
}

Status refuse_foreign(SQLite::Database& db, const std::filesystem::path& file) {
  const auto tables = [&db](const char* where) {
    return db.execAndGet(std::string("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND ") + where)
        .getInt();
  };
  // What every schema has had.
  const bool ours = tables("name IN ('run', 'item', 'evaluation')") == 3;
  if (ours || tables("true") == 0) return ok_status();
  return user_error(file.string() +
                    " is a SQLite database, but no run store: it lacks the tables run, item and evaluation. "
                    "Name the folder that kgbench run printed");
}

Status migrate(SQLite::Database& db, const std::filesystem::path& file) {
  int version = schema_of(db);
  if (version > newest_schema())
    return user_error(file.string() + " was written by a later kgbench (schema " + std::to_string(version) +
                      ", this one knows " + std::to_string(newest_schema()) + "). Update kgbench");
  while (version < newest_schema()) {
    SQLite::Transaction step(db);
    db.exec(kMigrations[static_cast<std::size_t>(version)]);
    ++version;
    db.exec("PRAGMA user_version = " + std::to_string(version));
    step.commit();
  }
  return ok_status();
}

}  // namespace kgb
