// SPDX-License-Identifier: Apache-2.0
// Counters in the run store: each call as JSON, and rows for whoever queries with SQL.
#include <nlohmann/json.hpp>

#include "store/impl.hpp"
#include "store/rows.hpp"
#include "store/store.hpp"

namespace kgb {
namespace {

std::int64_t insert_call(SQLite::Database& db, const CountedCall& call) {
  Rows rows(
      db,
      "INSERT INTO counted_call (created, version, op, candidate, source_hash, seed, workload, description,"
      " call, json) VALUES (?,?,?,?,?,?,?,?,?,?)");
  const CallCounters& c = call.counters;
  // Names in a candidate's text may be no UTF-8; they are replaced rather than refused.
  rows.add(call.created, call.version, c.op, call.candidate, call.source_hash, call.seed, c.workload,
           call.description, c.call,
           to_json(c).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  return db.getLastInsertRowid();
}

void insert_launches(SQLite::Database& db, std::int64_t id, const std::vector<LaunchCounters>& launches) {
  Rows launch_rows(db,
                   "INSERT INTO counted_launch (counted, launch, kernel, file, line, programs, flops,"
                   " tensor_flops, integer_operations, requested_bytes, unique_bytes, requests, sectors)"
                   " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)");
  Rows work_rows(db, "INSERT INTO counted_work (counted, launch, kind, type, count) VALUES (?,?,?,?,?)");
  Rows argument_rows(db,
                     "INSERT INTO counted_argument (counted, launch, argument, parameters, read_bytes,"
                     " written_bytes, atomic_bytes, unique_read, unique_written, requests, sectors)"
                     " VALUES (?,?,?,?,?,?,?,?,?,?,?)");
  Rows loop_rows(
      db, "INSERT INTO counted_loop (counted, launch, file, line, entered, trips) VALUES (?,?,?,?,?,?)");
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const LaunchCounters& launch = launches[i];
    const auto number = static_cast<std::int64_t>(i);
    const CounterTotals sum = totals(launch);
    const Traffic all = sum.all();
    launch_rows.add(id, number, launch.kernel, launch.file, launch.line, sum.programs, sum.flops,
                    sum.tensor_flops, sum.integer_operations, all.bytes, sum.unique_bytes(), all.requests,
                    all.sectors);
    for (const Work& work : launch.work)
      work_rows.add(id, number, std::string(name_of(work.kind)), work.type, work.count);
    for (const ArgumentTraffic& a : launch.arguments) {
      const Traffic of_argument = a.all();
      argument_rows.add(id, number, a.argument, a.parameters, a.read.bytes, a.written.bytes, a.atomic.bytes,
                        a.unique_read, a.unique_written, of_argument.requests, of_argument.sectors);
    }
    for (const LoopCount& loop : launch.loops)
      loop_rows.add(id, number, loop.file, loop.line, loop.entered, loop.trips);
  }
}

}  // namespace

Status Store::record_counts(const std::vector<CountedCall>& calls) {
  const std::lock_guard lock(impl_->mutex);
  try {
    SQLite::Transaction transaction(impl_->db);
    for (const CountedCall& call : calls)
      insert_launches(impl_->db, insert_call(impl_->db, call), call.counters.launches);
    transaction.commit();
    return ok_status();
  } catch (const std::exception& cause) {
    return host_error("the counts cannot be stored in " + impl_->file.string() + ": " + cause.what());
  }
}

Result<std::vector<CountedCall>> Store::counts(const std::string& op, const std::string& source_hash) const {
  const std::lock_guard lock(impl_->mutex);
  try {
    std::vector<CountedCall> all;
    SQLite::Statement query(
        impl_->db,
        "SELECT created, version, candidate, source_hash, seed, description, json"
        " FROM counted_call WHERE ?1 IN ('', op) AND ?2 IN ('', source_hash) ORDER BY id");
    query.bind(1, op);
    query.bind(2, source_hash);
    while (query.executeStep()) {
      CountedCall call;
      int column = 0;
      for (std::string* text :
           {&call.created, &call.version, &call.candidate, &call.source_hash, &call.seed, &call.description})
        *text = query.getColumn(column++).getString();
      KGB_TRY(call.counters,
              call_counters_from_json(nlohmann::json::parse(query.getColumn(column).getString())));
      all.push_back(std::move(call));
    }
    return all;
  } catch (const std::exception& cause) {
    return host_error("the counts in " + impl_->file.string() + " cannot be read: " + cause.what());
  }
}

}  // namespace kgb
