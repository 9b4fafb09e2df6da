// SPDX-License-Identifier: Apache-2.0
// The ledger in the run store: what a method proposed, and what each call of a model took.
#include "base/text.hpp"
#include "store/impl.hpp"
#include "store/rows.hpp"
#include "store/store.hpp"

namespace kgb {
namespace {

Error ledger_error(const std::filesystem::path& file, const std::exception& cause) {
  return host_error("the ledger in " + file.string() + " cannot be used: " + cause.what() +
                    ". Check the disk and the file's permissions");
}

}  // namespace

Status Store::record_attempt(const Attempt& a) {
  const std::lock_guard lock(impl_->mutex);
  try {
    // Text of contestants may be no UTF-8; it is replaced rather than refused.
    Rows(impl_->db,
         "INSERT INTO attempt (item, round, created, source, note, verdict, judge_s, device_s, speedup, json)"
         " VALUES (?,?,?,?,?,?,?,?,?,?)")
        .add(a.item, a.round, a.created, to_utf8_lossy(a.source), to_utf8_lossy(a.note), a.verdict, a.judge_s,
             a.device_s, a.speedup, a.json);
    return ok_status();
  } catch (const std::exception& cause) {
    return ledger_error(impl_->file, cause);
  }
}

Status Store::record_call(const ModelCall& c) {
  const std::lock_guard lock(impl_->mutex);
  try {
    Rows(impl_->db,
         "INSERT INTO model_call (item, round, created, model, wire, status, message, finish, prompt_tokens,"
         " cached_tokens, cache_write_tokens, completion_tokens, reasoning_tokens, dollars, seconds,"
         " first_token_s, waited_s, tries, replayed) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        .add(c.item, c.round, c.created, c.model, c.wire, c.status, to_utf8_lossy(c.message),
             to_utf8_lossy(c.finish), c.prompt, c.cached, c.cache_write, c.completion, c.reasoning, c.dollars,
             c.seconds, c.first_token_s, c.waited_s, c.tries, c.replayed ? 1 : 0);
    return ok_status();
  } catch (const std::exception& cause) {
    return ledger_error(impl_->file, cause);
  }
}

Result<std::vector<Attempt>> Store::attempts(const std::string& run) const {
  const std::lock_guard lock(impl_->mutex);
  try {
    std::vector<Attempt> all;
    SQLite::Statement query(
        impl_->db,
        "SELECT a.item, a.round, a.created, a.source, a.note, a.verdict, a.judge_s, a.device_s, a.speedup,"
        " a.json FROM attempt a JOIN item i ON i.id = a.item WHERE i.run = ? ORDER BY a.item, a.round");
    query.bind(1, run);
    while (query.executeStep()) {
      Attempt& a = all.emplace_back();
      Columns(query).all(a.item, a.round, a.created, a.source, a.note, a.verdict, a.judge_s, a.device_s,
                         a.speedup, a.json);
    }
    return all;
  } catch (const std::exception& cause) {
    return ledger_error(impl_->file, cause);
  }
}

Result<std::vector<ModelCall>> Store::calls(const std::string& run) const {
  const std::lock_guard lock(impl_->mutex);
  try {
    std::vector<ModelCall> all;
    SQLite::Statement query(
        impl_->db,
        "SELECT c.item, c.round, c.created, c.model, c.wire, c.status, c.message, c.finish, c.prompt_tokens,"
        " c.cached_tokens, c.cache_write_tokens, c.completion_tokens, c.reasoning_tokens, c.dollars,"
        " c.seconds, c.first_token_s, c.waited_s, c.tries, c.replayed FROM model_call c JOIN item i"
        " ON i.id = c.item WHERE i.run = ? ORDER BY c.item, c.id");
    query.bind(1, run);
    while (query.executeStep()) {
      ModelCall& c = all.emplace_back();
      Columns(query).all(c.item, c.round, c.created, c.model, c.wire, c.status, c.message, c.finish, c.prompt,
                         c.cached, c.cache_write, c.completion, c.reasoning, c.dollars, c.seconds,
                         c.first_token_s, c.waited_s, c.tries, c.replayed);
    }
    return all;
  } catch (const std::exception& cause) {
    return ledger_error(impl_->file, cause);
  }
}

}  // namespace kgb
