// SPDX-License-Identifier: Apache-2.0
// Evaluations in the run store: the whole as JSON, and rows for whoever queries with SQL.
#include <nlohmann/json.hpp>

#include "store/impl.hpp"
#include "store/store.hpp"

namespace kgb {
namespace {

void bind_optional(SQLite::Statement& statement, int column, const std::optional<double>& value) {
  if (value)
    statement.bind(column, *value);
  else
    statement.bind(column);
}

double total_ms(const Evaluation& evaluation) {
  const auto found = evaluation.stage_ms.find("total");
  return found == evaluation.stage_ms.end() ? 0.0 : found->second;
}

void insert_evaluation(SQLite::Database& db, std::int64_t item, const Evaluation& e,
                       const std::string& source) {
  SQLite::Statement row(
      db,
      "INSERT INTO evaluation (item, finished, verdict, gate, no_kernel, source_hash, total_ms, source,"
      " json) VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ','now'), ?,?,?,?,?,?,?)");
  row.bind(1, item);
  row.bind(2, std::string(name_of(e.verdict)));
  row.bind(3, std::string(name_of(e.reached)));
  row.bind(4, e.no_kernel ? 1 : 0);
  row.bind(5, e.source_hash);
  row.bind(6, total_ms(e));
  row.bind(7, source);
  row.bind(8, json_text(e));
  row.exec();
}

void insert_findings(SQLite::Database& db, std::int64_t item, const Evaluation& e) {
  SQLite::Statement row(
      db, "INSERT INTO finding (item, kind, gate, workload, message, file, line) VALUES (?,?,?,?,?,?,?)");
  for (const Finding& f : e.findings) {
    row.bind(1, item);
    row.bind(2, f.kind);
    row.bind(3, std::string(name_of(f.gate)));
    row.bind(4, f.workload);
    row.bind(5, f.message);
    row.bind(6, f.file);
    row.bind(7, f.line);
    row.exec();
    row.reset();
  }
}

void insert_workloads(SQLite::Database& db, std::int64_t item, const Evaluation& e) {
  SQLite::Statement row(
      db,
      "INSERT INTO workload (item, id, tier, verdict, worst_ratio, worst_at, elements, plan_hash,"
      " description) VALUES (?,?,?,?,?,?,?,?,?)");
  for (const WorkloadResult& w : e.workloads) {
    row.bind(1, item);
    row.bind(2, w.id);
    row.bind(3, w.tier);
    row.bind(4, std::string(name_of(w.verdict)));
    row.bind(5, w.worst_ratio);
    row.bind(6, w.worst_at);
    row.bind(7, w.elements);
    row.bind(8, w.plan_hash);
    row.bind(9, w.description);
    row.exec();
    row.reset();
  }
}

void insert_targets(SQLite::Database& db, std::int64_t item, const Evaluation& e) {
  SQLite::Statement row(
      db,
      "INSERT INTO target (item, target, ok, kernels, registers, shared_bytes, spills, message)"
      " VALUES (?,?,?,?,?,?,?,?)");
  for (const TargetResult& t : e.targets) {
    row.bind(1, item);
    row.bind(2, t.target);
    row.bind(3, t.ok ? 1 : 0);
    row.bind(4, t.kernels);
    row.bind(5, t.registers);
    row.bind(6, t.shared_bytes);
    row.bind(7, t.spills);
    row.bind(8, t.message);
    row.exec();
    row.reset();
  }
}

void insert_timings(SQLite::Database& db, std::int64_t item, const Evaluation& e) {
  SQLite::Statement row(
      db,
      "INSERT INTO timing (item, workload, baseline, candidate_s, baseline_s, ratio, ratio_low,"
      " ratio_high, call, why) VALUES (?,?,?,?,?,?,?,?,?,?)");
  for (const Timing& t : e.timings) {
    row.bind(1, item);
    row.bind(2, t.workload);
    row.bind(3, t.baseline_name);
    bind_optional(row, 4, t.candidate);
    bind_optional(row, 5, t.baseline);
    bind_optional(row, 6, t.ratio);
    bind_optional(row, 7, t.ratio_low);
    bind_optional(row, 8, t.ratio_high);
    row.bind(9, t.call);
    row.bind(10, t.why);
    row.exec();
    row.reset();
  }
}

}  // namespace

Status Store::record(const RunItem& item, const Evaluation& evaluation, const std::string& source) {
  const std::lock_guard lock(impl_->mutex);
  try {
    SQLite::Transaction transaction(impl_->db);
    insert_evaluation(impl_->db, item.id, evaluation, source);
    insert_findings(impl_->db, item.id, evaluation);
    insert_workloads(impl_->db, item.id, evaluation);
    insert_targets(impl_->db, item.id, evaluation);
    insert_timings(impl_->db, item.id, evaluation);
    transaction.commit();
    return ok_status();
  } catch (const std::exception& cause) {
    return host_error("the evaluation of " + item.op + " cannot be stored in " + impl_->file.string() + ": " +
                      cause.what());
  }
}

Result<std::vector<StoredEvaluation>> Store::evaluations(const std::string& run) const {
  const std::lock_guard lock(impl_->mutex);
  try {
    std::vector<StoredEvaluation> all;
    SQLite::Statement query(
        impl_->db,
        "SELECT i.id, i.op, i.sample, i.candidate, e.json, e.source FROM item i JOIN evaluation e"
        " ON e.item = i.id WHERE i.run = ? ORDER BY i.id");
    query.bind(1, run);
    while (query.executeStep()) {
      StoredEvaluation stored;
      stored.item = {query.getColumn(0).getInt64(), query.getColumn(1).getString(),
                     query.getColumn(2).getInt(), query.getColumn(3).getString()};
      stored.evaluation = evaluation_from_json(nlohmann::json::parse(query.getColumn(4).getString()));
      stored.source = query.getColumn(5).getString();
      all.push_back(std::move(stored));
    }
    return all;
  } catch (const std::exception& cause) {
    return host_error("the evaluations in " + impl_->file.string() + " cannot be read: " + cause.what());
  }
}

}  // namespace kgb
