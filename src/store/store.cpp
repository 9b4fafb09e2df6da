// SPDX-License-Identifier: Apache-2.0
// The run store over SQLite: runs and items. It is opened in open.cpp; evaluations are written in
// evaluation_rows.cpp.
#include "store/store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>

#include "store/impl.hpp"

namespace kgb {

Error store_error(const std::filesystem::path& file, const std::exception& cause) {
  return host_error("the run store " + file.string() + " cannot be used: " + cause.what() +
                    ". Check the disk and the file's permissions");
}

Status Store::begin_run(const RunInfo& run, const std::vector<RunItem>& items) {
  const std::lock_guard lock(impl_->mutex);
  try {
    SQLite::Transaction transaction(impl_->db);
    SQLite::Statement insert(
        impl_->db,
        "INSERT INTO run (id, created, finished, status, version, contestant, suite, chip, tiers,"
        " tolerance, targets, seed, host, model, method, profile, mode, against, timing) VALUES "
        "(?,?,NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    int column = 0;
    for (const std::string* text :
         {&run.id, &run.created, &run.status, &run.version, &run.contestant, &run.suite, &run.chip,
          &run.tiers, &run.tolerance, &run.targets, &run.seed, &run.host, &run.model, &run.method,
          &run.profile, &run.mode, &run.against, &run.timing})
      insert.bind(++column, *text);
    insert.exec();
    SQLite::Statement item(
        impl_->db,
        "INSERT INTO item (run, op, sample, candidate, recorded, recorded_evidence) VALUES (?,?,?,?,?,?)");
    for (const RunItem& row : items) {
      item.bind(1, run.id);
      item.bind(2, row.op);
      item.bind(3, row.sample);
      item.bind(4, row.candidate);
      item.bind(5, row.recorded);
      item.bind(6, row.recorded_evidence);
      item.exec();
      item.reset();
    }
    transaction.commit();
    return ok_status();
  } catch (const std::exception& cause) {
    return store_error(impl_->file, cause);
  }
}

Result<std::vector<RunInfo>> Store::runs() const {
  const std::lock_guard lock(impl_->mutex);
  try {
    std::vector<RunInfo> all;
    SQLite::Statement query(
        impl_->db,
        "SELECT id, created, coalesce(finished, ''), status, version, contestant, suite, chip, tiers,"
        " tolerance, targets, seed, host, model, method, profile, mode, against, timing FROM run ORDER BY "
        "created, id");
    while (query.executeStep()) {
      RunInfo run;
      int column = 0;
      for (std::string* text :
           {&run.id, &run.created, &run.finished, &run.status, &run.version, &run.contestant, &run.suite,
            &run.chip, &run.tiers, &run.tolerance, &run.targets, &run.seed, &run.host, &run.model,
            &run.method, &run.profile, &run.mode, &run.against, &run.timing})
        *text = query.getColumn(column++).getString();
      all.push_back(std::move(run));
    }
    return all;
  } catch (const std::exception& cause) {
    return store_error(impl_->file, cause);
  }
}

namespace {

std::vector<RunItem> read_items(SQLite::Database& db, const std::string& run, const char* condition) {
  std::vector<RunItem> items;
  SQLite::Statement query(
      db,
      std::string("SELECT id, op, sample, candidate, recorded, recorded_evidence FROM item WHERE run = ?") +
          condition + " ORDER BY id");
  query.bind(1, run);
  while (query.executeStep())
    items.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(),
                     query.getColumn(2).getInt(), query.getColumn(3).getString(),
                     query.getColumn(4).getString(), query.getColumn(5).getString()});
  return items;
}

}  // namespace

Result<std::vector<RunItem>> Store::pending(const std::string& run) const {
  const std::lock_guard lock(impl_->mutex);
  try {
    return read_items(impl_->db, run, " AND id NOT IN (SELECT item FROM evaluation)");
  } catch (const std::exception& cause) {
    return store_error(impl_->file, cause);
  }
}

Result<std::vector<RunItem>> Store::items(const std::string& run) const {
  const std::lock_guard lock(impl_->mutex);
  try {
    return read_items(impl_->db, run, "");
  } catch (const std::exception& cause) {
    return store_error(impl_->file, cause);
  }
}

Result<std::int64_t> Store::item_count(const std::string& run) const {
  const std::lock_guard lock(impl_->mutex);
  try {
    SQLite::Statement query(impl_->db, "SELECT count(*) FROM item WHERE run = ?");
    query.bind(1, run);
    query.executeStep();
    return query.getColumn(0).getInt64();
  } catch (const std::exception& cause) {
    return store_error(impl_->file, cause);
  }
}

Status Store::set_status(const std::string& run, const std::string& status, const std::string& finished) {
  const std::lock_guard lock(impl_->mutex);
  try {
    SQLite::Statement update(impl_->db, "UPDATE run SET status = ?, finished = nullif(?, '') WHERE id = ?");
    update.bind(1, status);
    update.bind(2, finished);
    update.bind(3, run);
    update.exec();
    return ok_status();
  } catch (const std::exception& cause) {
    return store_error(impl_->file, cause);
  }
}

}  // namespace kgb
