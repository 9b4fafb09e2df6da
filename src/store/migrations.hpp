// SPDX-License-Identifier: Apache-2.0
// Brings a run store's schema up to date, one numbered step at a time.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <filesystem>

#include "base/result.hpp"

namespace kgb {

// Each step is one transaction. A store written by a later kgbench is refused.
Status migrate(SQLite::Database& db, const std::filesystem::path& file);
[[nodiscard]] int newest_schema();
[[nodiscard]] int schema_of(SQLite::Database& db);
// Refuses a database that holds tables and none of ours: it must get no tables of kgbench.
Status refuse_foreign(SQLite::Database& db, const std::filesystem::path& file);

}  // namespace kgb
