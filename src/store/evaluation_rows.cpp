// SPDX-License-Identifier: Apache-2.0
// Evaluations in the run store: the whole as JSON, and rows for whoever queries with SQL.
#include <nlohmann/json.hpp>

#include "store/impl.hpp"
#include "store/rows.hpp"
#include "store/store.hpp"

namespace kgb {
namespace {

double total_ms(const Evaluation& evaluation) {
  const auto found = evaluation.stage_ms.find("total");
  return found == evaluation.stage_ms.end() ? 0.0 : found->second;
}

void insert_evaluation(SQLite::Database& db, std::int64_t item, const Evaluation& e,
                       const std::string& source) {
  Rows(db,
       "INSERT INTO evaluation (item, finished, verdict, gate, no_kernel, source_hash, total_ms, source,"
       " json) VALUES (?, strftime('%Y-%m-%dT%H:%M:%fZ','now'), ?,?,?,?,?,?,?)")
      .add(item, std::string(name_of(e.verdict)), std::string(name_of(e.reached)), e.no_kernel ? 1 : 0,
           e.source_hash, total_ms(e), source, json_text(e));
}

void insert_findings(SQLite::Database& db, std::int64_t item, const Evaluation& e) {
  Rows rows(db,
            "INSERT INTO finding (item, kind, gate, workload, message, file, line) VALUES (?,?,?,?,?,?,?)");
  for (const Finding& f : e.findings)
    rows.add(item, f.kind, std::string(name_of(f.gate)), f.workload, f.message, f.file, f.line);
}

void insert_workloads(SQLite::Database& db, std::int64_t item, const Evaluation& e) {
  Rows rows(db,
            "INSERT INTO workload (item, id, tier, verdict, worst_ratio, worst_at, elements, plan_hash,"
            " description) VALUES (?,?,?,?,?,?,?,?,?)");
  for (const WorkloadResult& w : e.workloads)
    rows.add(item, w.id, w.tier, std::string(name_of(w.verdict)), w.worst_ratio, w.worst_at, w.elements,
             w.plan_hash, w.description);
}

void insert_targets(SQLite::Database& db, std::int64_t item, const Evaluation& e) {
  Rows rows(db,
            "INSERT INTO target (item, target, ok, kernels, registers, shared_bytes, spills, message)"
            " VALUES (?,?,?,?,?,?,?,?)");
  for (const TargetResult& t : e.targets)
    rows.add(item, t.target, t.ok ? 1 : 0, t.kernels, t.registers, t.shared_bytes, t.spills, t.message);
}

void insert_timings(SQLite::Database& db, std::int64_t item, const Evaluation& e) {
  Rows rows(db,
            "INSERT INTO timing (item, workload, baseline, candidate_s, baseline_s, ratio, ratio_low,"
            " ratio_high, call, why, span, published_candidate_s, published_baseline_s, published_why)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  for (const Timing& t : e.timings) {
    const Published published = t.published.value_or(Published{});
    rows.add(item, t.workload, t.baseline_name, t.candidate, t.baseline, t.ratio, t.ratio_low, t.ratio_high,
             t.call, t.why, t.span, published.candidate, published.baseline, published.why);
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
    SQLite::Statement query(impl_->db,
                            "SELECT i.id, i.op, i.sample, i.candidate, i.recorded, i.recorded_evidence, "
                            "e.json, e.source FROM item i JOIN evaluation e"
                            " ON e.item = i.id WHERE i.run = ? ORDER BY i.id");
    query.bind(1, run);
    while (query.executeStep()) {
      StoredEvaluation stored;
      stored.item = {query.getColumn(0).getInt64(),  query.getColumn(1).getString(),
                     query.getColumn(2).getInt(),    query.getColumn(3).getString(),
                     query.getColumn(4).getString(), query.getColumn(5).getString()};
      stored.evaluation = evaluation_from_json(nlohmann::json::parse(query.getColumn(6).getString()));
      stored.source = query.getColumn(7).getString();
      all.push_back(std::move(stored));
    }
    return all;
  } catch (const std::exception& cause) {
    return host_error("the evaluations in " + impl_->file.string() + " cannot be read: " + cause.what());
  }
}

}  // namespace kgb
