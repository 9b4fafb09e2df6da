// SPDX-License-Identifier: Apache-2.0
// The stream: lines in, lines out, a bounded queue between the reader and the lanes.
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/files.hpp"
#include "base/text.hpp"
#include "command.hpp"
#include "judge/disclosure.hpp"
#include "stream.hpp"
#include "stream_request.hpp"

namespace kgb::app {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxSource = std::size_t{4} << 20;

struct Task {
  json id;
  std::int64_t line = 0;
  JudgeRequest request;
};

// Holds as many tasks as there are lanes: a reader that waits is the backpressure.
class TaskQueue {
 public:
  explicit TaskQueue(std::size_t capacity) : capacity_(capacity) {}
  void push(Task task) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return tasks_.size() < capacity_; });
    tasks_.push_back(std::move(task));
    changed_.notify_all();
  }
  std::optional<Task> pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !tasks_.empty() || closed_; });
    if (tasks_.empty()) return std::nullopt;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    changed_.notify_all();
    return task;
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::size_t capacity_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task> tasks_;
  bool closed_ = false;
};

// Whole lines, whoever writes them.
class LineWriter {
 public:
  void write(const json& object) {
    const std::string line = object.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
    const std::lock_guard lock(mutex_);
    failed_ = failed_ || std::fwrite(line.data(), 1, line.size(), stdout) != line.size() ||
              std::fflush(stdout) != 0;
  }
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  std::mutex mutex_;
  bool failed_ = false;
};

Result<Task> read_task(const std::string& line, const Catalogue& catalogue, const ResolvedOptions& resolved,
                       const JudgeOptions& options, const OwnTables& own, const StreamOptions& how) {
  KGB_TRY(StreamRequest asked, stream_request_from_json(line));
  KGB_TRY(const Operator* const op, catalogue.find(asked.op));
  Task task;
  task.id = std::move(asked.id);
  JudgeRequest& request = task.request = request_of(options, resolved);
  request.op = op->name;
  KGB_TRY(request.own, own_workloads_of(own, *op));
  if (!how.only.empty()) request.only_workload = how.only;
  request.file = asked.file.value_or(std::string("candidate") + suffix_of(asked.language));
  if (asked.file) {
    KGB_TRY(request.source, read_file(request.file, kMaxSource));
  } else {
    request.source = std::move(*asked.source);
  }
  request.contestant = "stream";
  request.seed = asked.seed.value_or(request.seed);
  return task;
}

// A hidden workload's shape and values never leave: a policy that sees them learns them.
std::string message_of(const Evaluation& e) {
  const Disclosure told = disclose(e);
  return told.reason ? told.reason->message : "pass";
}

json result_of(const json& id, const Evaluation& e) {
  std::size_t passed = 0;
  for (const WorkloadResult& w : e.workloads) passed += w.verdict == Verdict::pass ? 1 : 0;
  json speedup;
  for (const Timing& t : e.timings)
    if (t.ratio)
      speedup = {{"ratio", *t.ratio},
                 {"low", t.ratio_low.value_or(0)},
                 {"high", t.ratio_high.value_or(0)},
                 {"call", t.call}};
  json ms = json::object();
  for (const auto& [stage, value] : e.stage_ms) ms[stage] = value;
  return {{"schema", 1},
          {"id", id},
          {"op", e.op},
          {"verdict", name_of(e.verdict)},
          {"profile", name_of(e.profile)},
          {"gate", name_of(e.reached)},
          {"workloads_passed", passed},
          {"workloads_judged", e.workloads.size()},
          {"speedup", speedup},
          {"retryable", e.verdict == Verdict::infra},
          {"message", message_of(e)},
          {"ms", ms}};
}

json error_of(const json& id, std::int64_t line, const std::string& message) {
  return {{"schema", 1}, {"id", id}, {"line", line}, {"error", message}};
}

void judge_lane(TaskQueue& queue, LineWriter& writer, Judge& judge, bool whole) {
  while (std::optional<Task> task = queue.pop()) {
    const Result<Evaluation> evaluation = judge.judge(task->request);
    if (!evaluation.ok()) {
      writer.write(error_of(task->id, task->line, evaluation.error().message));
      continue;
    }
    json result = result_of(task->id, *evaluation);
    if (whole) result["evaluation"] = to_json(*evaluation);
    writer.write(result);
  }
}

}  // namespace

Result<int> judge_stream(const JudgeOptions& options, const StreamOptions& how) {
  KGB_TRY(const ResolvedOptions resolved, resolve(options));
  KGB_TRY(const OwnTables own, own_tables_of(options));
  KGB_TRY(const Catalogue catalogue, load_catalogue());
  KGB_TRY(std::unique_ptr<Judge> judge, open_judge(options, resolved.lanes, catalogue));
  TaskQueue queue(static_cast<std::size_t>(resolved.lanes));
  LineWriter writer;
  std::vector<std::thread> lanes;
  for (int i = 0; i < resolved.lanes; ++i)
    lanes.emplace_back([&] { judge_lane(queue, writer, *judge, how.whole); });
  std::int64_t number = 0;
  for (std::string line; !writer.failed() && std::getline(std::cin, line);) {
    ++number;
    if (trim(line).empty()) continue;
    Result<Task> task = read_task(line, judge->catalogue(), resolved, options, own, how);
    if (task.ok()) {
      task->line = number;
      queue.push(std::move(*task));
    } else {
      writer.write(error_of(stream_id_of(line), number, task.error().message));
    }
  }
  queue.close();
  for (std::thread& lane : lanes) lane.join();
  if (writer.failed()) return host_error("the results cannot be written to standard output");
  return kExitPass;
}

}  // namespace kgb::app
