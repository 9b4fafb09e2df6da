// SPDX-License-Identifier: Apache-2.0
// Theory of operation. A method sees a Task: functions that ask the model and the judge. Both go through the
// producer, which writes the ledger before it returns, so that a run killed at any moment has in its store
// what was paid for. A failure to write is kept and ends the item as an error of the host: a method cannot do
// anything about it.
#include "campaign/producer.hpp"

#include <mutex>

#include "base/clock.hpp"
#include "base/files.hpp"
#include "base/hash.hpp"
#include "judge/feedback.hpp"
#include "method/recipe.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

std::int64_t length_of(const llm::ChatRequest& request) {
  std::size_t bytes = 0;
  for (const llm::ChatMessage& message : request.messages) bytes += message.content.size();
  return static_cast<std::int64_t>(bytes);
}

// Seeds of one item: different for every operator, sample and use, the same again after a resume.
std::uint64_t seed_for(const RunInfo& run, const RunItem& item, const std::string& use) {
  const Digest digest = sha256(run.seed + "/" + item.op + "/" + std::to_string(item.sample) + "/" + use);
  std::uint64_t seed = 0;
  for (std::size_t i = 0; i < sizeof seed; ++i) seed = seed << 8 | digest[i];
  return seed;
}

double seconds_in(const Evaluation& e, const char* stage) {
  const auto found = e.stage_ms.find(stage);
  return found == e.stage_ms.end() ? 0 : found->second / 1000;
}

template <typename T>
std::optional<T> known(const llm::Usage& usage, T value) {
  return usage.known ? std::optional<T>(value) : std::nullopt;
}

std::string folder_name(const RunItem& item) {
  std::string name = item.op;
  for (char& c : name)
    if (c == ':') c = '_';
  return name + "." + std::to_string(item.sample);
}

}  // namespace

struct Producer::Round {
  std::mutex mutex;  // an agent's calls come from the proxy's threads
  int number = 0;
  int calls = 0;
  std::optional<Error> error;
  int take() {
    const std::lock_guard lock(mutex);
    return number++;
  }
  void fail(const Status& status) {
    if (!status.ok() && !error) error = status.error();
  }
};

Producer::Producer(ProducerSetup setup, Store& store, const RunInfo& run, const Catalogue& catalogue,
                   Rehearsal rehearse, Races races)
    : setup_(std::move(setup)),
      store_(store),
      run_(run),
      catalogue_(catalogue),
      rehearse_(std::move(rehearse)),
      races_(std::move(races)),
      budget_(setup_.run_budget, setup_.item_budget) {}

Result<std::unique_ptr<Producer>> Producer::make(ProducerSetup setup, Store& store, const RunInfo& run,
                                                 const Catalogue& catalogue, Rehearsal rehearse,
                                                 Races races) {
  std::unique_ptr<Producer> made(
      new Producer(std::move(setup), store, run, catalogue, std::move(rehearse), std::move(races)));
  KGB_TRY(const std::vector<ModelCall> calls, store.calls(run.id));
  for (const ModelCall& call : calls) {
    const llm::Usage usage{
        call.prompt.has_value(), call.prompt.value_or(0), 0, 0, call.completion.value_or(0), 0};
    made->budget_.add(call.item, usage, call.replayed ? 0.0 : call.dollars, 0);
    made->next_round_[call.item] = std::max(made->next_round_[call.item], call.round + 1);
  }
  KGB_TRY(const std::vector<Attempt> attempts, store.attempts(run.id));
  for (const Attempt& attempt : attempts)
    made->next_round_[attempt.item] = std::max(made->next_round_[attempt.item], attempt.round + 1);
  return made;
}

llm::Completion Producer::ask(const RunItem& item, Round& round, const llm::ChatRequest& request,
                              const std::atomic<bool>& stop) {
  if (std::string spent = budget_.spent(item.id); !spent.empty()) {
    llm::Completion none;
    none.end = llm::CallEnd::cancelled;
    none.message = std::move(spent);
    return none;
  }
  // Equal requests of one item (rounds that know nothing of each other, on a wire without seeds) are other
  // draws, and so other recordings.
  const int recording = item.sample + method::kMostSamples * round.calls++;
  llm::Completion call = setup_.model->complete(request, recording, stop);
  const auto written = static_cast<std::int64_t>(call.reply.text.size());
  keep_call(item, round, call, (length_of(request) + written) / llm::kBytesPerToken);
  return call;
}

void Producer::keep_call(const RunItem& item, Round& round, const llm::Completion& call,
                         std::int64_t estimate) {
  const std::lock_guard lock(round.mutex);
  const llm::Usage& usage = call.reply.usage;
  ModelCall row;
  row.item = item.id;
  row.round = round.number;
  row.created = iso_utc(system_clock().wall());
  const std::string& model = setup_.model ? setup_.model->endpoint().model : run_.model;
  row.model = model;
  if (setup_.model) row.wire = llm::name_of(call.wire.value_or(setup_.model->endpoint().wire));
  row.status = llm::name_of(call.end);
  row.message = call.message;
  row.finish = call.reply.finish;
  row.prompt = known(usage, usage.prompt);
  row.cached = known(usage, usage.cached);
  row.cache_write = known(usage, usage.cache_write);
  row.completion = known(usage, usage.completion);
  row.reasoning = known(usage, usage.reasoning);
  // A replayed call was paid when it was recorded; the row keeps what it would cost.
  row.dollars = llm::dollars(setup_.prices, model, usage);
  row.seconds = call.seconds;
  row.first_token_s = call.first_token_s;
  row.waited_s = call.waited_s;
  row.tries = call.tries;
  row.replayed = call.replayed;
  round.fail(store_.record_call(row));
  budget_.add(item.id, usage, call.replayed ? 0.0 : row.dollars, estimate);
}

Result<method::Feedback> Producer::evaluate(const RunItem& item, Round& round, const std::string& source,
                                            const std::string& note) {
  const int number = round.take();
  KGB_TRY(Evaluation evaluation,
          rehearse_(item, source, seed_for(run_, item, "round " + std::to_string(number))));
  KGB_CHECK(keep_attempt(item, number, source, note, evaluation));
  std::string text = feedback_text(evaluation);
  return method::Feedback{std::move(evaluation), std::move(text)};
}

Status Producer::keep_attempt(const RunItem& item, int number, const std::string& source,
                              const std::string& note, const Evaluation& evaluation) {
  Attempt attempt;
  attempt.item = item.id;
  attempt.round = number;
  attempt.created = iso_utc(system_clock().wall());
  attempt.source = source;
  attempt.note = note;
  attempt.verdict = name_of(evaluation.verdict);
  attempt.judge_s = seconds_in(evaluation, "total");
  if (run_.chip != "cpu")
    attempt.device_s = seconds_in(evaluation, "correct") + seconds_in(evaluation, "fast");
  attempt.speedup = mean_speedup(evaluation);
  attempt.json = json_text(evaluation);
  return store_.record_attempt(attempt);
}

Result<method::Answer> Producer::produce(const RunItem& item, const std::atomic<bool>& stop) {
  if (std::string spent = budget_.run_spent(); !spent.empty())
    return method::Answer{method::Answer::End::spent, "", spent, false};
  KGB_TRY(const Operator* const op, catalogue_.find(item.op));
  const std::filesystem::path workspace = setup_.workspaces / folder_name(item);
  KGB_CHECK(make_folders(workspace));
  Round round;
  if (const auto found = next_round_.find(item.id); found != next_round_.end()) round.number = found->second;
  budget_.begin(item.id);
  method::Task task{catalogue_, *op, run_.chip, item.sample, seed_for(run_, item, "method"), workspace, stop,
                    {},         {},  {},        {}};
  task.evaluate = [&](const std::string& source, const std::string& note) {
    return evaluate(item, round, source, note);
  };
  if (setup_.model)
    task.ask = [&](const llm::ChatRequest& request) { return ask(item, round, request, stop); };
  task.record = [&](const llm::Completion& call) {
    keep_call(item, round, call, static_cast<std::int64_t>(call.reply.text.size()) / llm::kBytesPerToken);
  };
  task.spent = [&] { return budget_.spent(item.id); };
  if (races_)
    task.race = [&, race = races_(*op)](const method::Race& asked) -> Result<method::Feedback> {
      KGB_TRY(method::Feedback feedback, race(asked));
      KGB_CHECK(keep_attempt(item, round.take(), asked.source, asked.note, feedback.evaluation));
      return feedback;
    };
  KGB_TRY(method::Answer answer, setup_.method->solve(task));
  if (round.error) return *round.error;
  return answer;
}

}  // namespace kgb
