// SPDX-License-Identifier: Apache-2.0
// Runs the pending items of a run over parallel lanes. An item of a method is found and judged by one thread;
// there are more threads than the judge has lanes, so that slow answers of a model never leave it idle.
#include "campaign/campaign.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "campaign/library.hpp"
#include "campaign/samples.hpp"
#include "campaign/tuning.hpp"

namespace kgb {
namespace {

using method::Answer;

constexpr int kMostFailuresInARow = 10;

// The lanes' shared work list; the first error stops all of them.
class WorkList {
 public:
  explicit WorkList(std::vector<RunItem> items) : items_(std::move(items)) {}
  std::optional<RunItem> next(const std::atomic<bool>& stop) {
    const std::lock_guard lock(mutex_);
    if (stop.load() || error_ || at_ == items_.size()) return std::nullopt;
    return items_[at_++];
  }
  void fail(Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
  }
  void leave_open(const RunItem& item, std::string why) {
    const std::lock_guard lock(mutex_);
    open_.push_back({item.op, item.sample, std::move(why)});
  }
  // A server that fails item after item has no answer for the next, either.
  void given_up(const RunItem& item, const std::string& why) {
    leave_open(item, why);
    if (++failures_in_a_row_ == kMostFailuresInARow)
      fail(host_error(std::to_string(kMostFailuresInARow) + " items in a row were given up, the last one: " +
                      why + ". When that is mended, go on with --resume"));
  }
  void found_one() { failures_in_a_row_ = 0; }
  [[nodiscard]] std::optional<Error> error() const { return error_; }
  [[nodiscard]] bool exhausted() const { return at_ == items_.size(); }
  [[nodiscard]] std::vector<RunOutcome::Open> open() const { return open_; }
  std::atomic<std::int64_t> judged{0}, generated{0};

 private:
  std::mutex mutex_;
  std::vector<RunItem> items_;
  std::vector<RunOutcome::Open> open_;
  std::size_t at_ = 0;
  std::atomic<int> failures_in_a_row_{0};
  std::optional<Error> error_;
};

// What all lanes share.
struct Campaign {
  Store& store;
  const Catalogue& catalogue;
  const JudgeAtNeed& judge;
  const RunInfo& run;
  const RunOptions& options;
  Progress& progress;
  const std::atomic<bool>& stop;
  WorkList& work;
  Producer* producer;  // null: candidates are files
};

Result<JudgeRequest> request_for(const RunItem& item, const RunInfo& run, const RunOptions& options,
                                 const Catalogue& catalogue, std::string source) {
  JudgeRequest request = options.request;
  request.op = item.op;
  request.source = std::move(source);
  request.file = item.candidate;
  request.contestant = run.contestant;
  if (options.library) {
    KGB_TRY(const Operator* const op, catalogue.find(item.op));
    declare(request, *options.library, *op);
  }
  return request;
}

Result<Evaluation> judged(const JudgeAtNeed& at_need, const JudgeRequest& request) {
  KGB_TRY(Judge* const judge, at_need());
  KGB_TRY(Evaluation evaluation, judge->judge(request));
  if (evaluation.verdict == Verdict::infra) {
    KGB_TRY(evaluation, judge->judge(request));
  }
  return evaluation;
}

Status judge_file(Campaign& all, const RunItem& item) {
  const std::filesystem::path file = candidate_file(all.options.folder, item);
  std::error_code ignored;
  // Of a method whose run is judged without it: what was not found yet stays open.
  if (all.run.by_method() && !std::filesystem::exists(file, ignored)) {
    all.work.leave_open(item, "not generated yet");
    return ok_status();
  }
  KGB_TRY(std::string source, read_file(file, kMaxCandidateBytes));
  KGB_TRY(const JudgeRequest request, request_for(item, all.run, all.options, all.catalogue, source));
  all.progress.started(item.op);
  KGB_TRY(const Evaluation evaluation, judged(all.judge, request));
  KGB_CHECK(all.store.record(item, evaluation, source));
  all.progress.finished(evaluation);
  ++all.work.judged;
  return ok_status();
}

// A contestant that gave no source text has failed its item.
Status record_nothing(Campaign& all, const RunItem& item, const std::string& why) {
  Evaluation evaluation;
  evaluation.op = item.op;
  evaluation.candidate = item.candidate;
  evaluation.contestant = all.run.contestant;
  evaluation.chip = all.run.chip;
  evaluation.tolerance = all.run.tolerance;
  evaluation.profile = all.options.request.profile;
  evaluation.mode = all.options.request.in_process ? "in-process" : "plan";
  evaluation.seed = all.run.seed;
  evaluation.source_hash = sha256_hex("");
  evaluation.verdict = Verdict::compile_error;
  evaluation.reached = Gate::static_;
  Finding finding;
  finding.kind = "no_code";
  finding.gate = Gate::static_;
  finding.message = "no candidate: " + why;
  evaluation.findings.push_back(std::move(finding));
  KGB_TRY(const Operator* const op, all.catalogue.find(item.op));
  evaluation.no_kernel = !op->no_kernel.empty();
  KGB_CHECK(all.store.record(item, evaluation, ""));
  all.progress.finished(evaluation);
  ++all.work.judged;
  return ok_status();
}

Status produce_and_judge(Campaign& all, const RunItem& item) {
  std::error_code ignored;
  const std::filesystem::path file = candidate_file(all.options.folder, item);
  const bool there = std::filesystem::is_regular_file(file, ignored);
  if (!there) {
    KGB_TRY(const Answer answer, all.producer->produce(item, all.stop));
    switch (answer.end) {
      case Answer::End::no_code:
        all.work.found_one();
        return record_nothing(all, item, answer.why);
      case Answer::End::given_up:
        if (answer.fatal && !all.stop.load())
          return host_error(answer.why + ". When that is mended, go on with --resume " +
                            all.options.folder.string());
        if (all.stop.load() || answer.alone)
          all.work.leave_open(item, answer.why);
        else
          all.work.given_up(item, answer.why);
        return ok_status();
      case Answer::End::spent:
        all.work.leave_open(item, answer.why);
        return ok_status();
      case Answer::End::answered:
        break;
    }
    KGB_CHECK(make_folders(file.parent_path()));
    KGB_CHECK(write_file_atomic(file, answer.source));
    ++all.work.generated;
    all.work.found_one();
  }
  if (all.producer->setup().generate_only) return ok_status();
  return judge_file(all, item);
}

using RacesOfOne = std::function<Result<method::Feedback>(const method::Race& race)>;

// The races of one operator; the first of them opens the judge. One thread's.
RacesOfOne races_at_need(const JudgeAtNeed& judge, const Operator& op, const JudgeRequest& request) {
  const auto made = std::make_shared<RacesOfOne>();
  return [=, &judge, &op](const method::Race& race) -> Result<method::Feedback> {
    if (!*made) {
      KGB_TRY(Judge* const opened, judge());
      *made = races_of(*opened, op, request, {});
    }
    return (*made)(race);
  };
}

void lane(Campaign& all) {
  while (std::optional<RunItem> item = all.work.next(all.stop)) {
    if (const BrokenOperator* broken = all.catalogue.find_broken(item->op)) {
      all.work.leave_open(*item, broken->summary());
      continue;
    }
    Status done = all.producer != nullptr ? produce_and_judge(all, *item) : judge_file(all, *item);
    if (!done.ok()) {
      all.work.fail(done.error());
      return;
    }
  }
}

}  // namespace

Result<RunOutcome> run_pending(Store& store, const Catalogue& catalogue, const JudgeAtNeed& judge,
                               const RunInfo& run, const RunOptions& options, Progress& progress,
                               const std::atomic<bool>& stop) {
  KGB_TRY(std::vector<RunItem> items, store.pending(run.id));
  WorkList work(std::move(items));
  std::unique_ptr<Producer> producer;
  if (options.producer) {
    const Rehearsal rehearse = [&](const RunItem& item, const std::string& source,
                                   std::uint64_t seed) -> Result<Evaluation> {
      KGB_TRY(JudgeRequest request, request_for(item, run, options, catalogue, source));
      request.seed = seed;
      return judged(judge, request);
    };
    Races races;  // where there is a clock for them
    if (run.chip != "cpu")
      races = [&](const Operator& op) { return races_at_need(judge, op, options.request); };
    KGB_TRY(producer, Producer::make(*options.producer, store, run, catalogue, rehearse, races));
  }
  Campaign all{store, catalogue, judge, run, options, progress, stop, work, producer.get()};
  const int count = producer ? std::max(options.producer->makers, options.lanes) : options.lanes;
  std::vector<std::thread> lanes;
  lanes.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) lanes.emplace_back([&all] { lane(all); });
  for (std::thread& thread : lanes) thread.join();
  progress.end();
  if (work.error()) return *work.error();
  RunOutcome outcome;
  outcome.judged = work.judged.load();
  outcome.generated = work.generated.load();
  outcome.open = work.open();
  outcome.stopped = !work.exhausted() || !outcome.open.empty();
  return outcome;
}

}  // namespace kgb
