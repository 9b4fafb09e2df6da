// SPDX-License-Identifier: Apache-2.0
// Seed, space, search, and the winner once more against the seed.
#include "method/tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/files.hpp"
#include "base/text.hpp"
#include "model/operator_name.hpp"
#include "model/verdict.hpp"

namespace kgb::method {
namespace {

constexpr std::size_t kMaxSeedBytes = std::size_t{4} << 20;

std::vector<Change> changes_between(const std::vector<Axis>& axes, const Point& point) {
  std::vector<Change> changes;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (point[i] != axes[i].seed)
      changes.push_back({axes[i].what, axes[i].line, axes[i].values[axes[i].seed], axes[i].values[point[i]]});
  return changes;
}

std::string text_of(const std::vector<Change>& changes) {
  std::string text;
  for (const Change& change : changes)
    text += (text.empty() ? "" : ", ") + change.what + " " + change.from + " -> " + change.to;
  return text;
}

// Why the timings give no ratio; nullopt: they do.
std::optional<std::string> untimed(const Evaluation& evaluation) {
  if (evaluation.timings.empty()) return "the judge timed no workload of it";
  for (const Timing& timing : evaluation.timings)
    if (!timing.ratio) return timing.why;
  return std::nullopt;
}

// Races the seed against itself: whatever is amiss with it shows before anything is searched.
Result<Evaluation> try_seed(const Task& task, const std::string& seed) {
  KGB_TRY(Feedback feedback, task.race({seed, seed, "the seed against itself"}));
  const Evaluation& evaluation = feedback.evaluation;
  if (evaluation.verdict == Verdict::infra)
    return host_error(evaluation.findings.empty() ? "the judge failed" : evaluation.findings.front().message);
  if (const Finding* finding = deciding_finding(evaluation.findings))
    return user_error(
        fmt::format("the seed kernel of {} does not pass: {}: {}. Tune a kernel that does (kgbench "
                    "judge)",
                    task.op.name, name_of(evaluation.verdict), first_line(finding->message)));
  if (const std::optional<std::string> why = untimed(evaluation))
    return user_error(fmt::format("the seed kernel of {} cannot be timed: {}", task.op.name, *why));
  return std::move(feedback.evaluation);
}

// The races of a search: points become sources.
class Races {
 public:
  Races(const Task& task, const Rewriter& rewriter, const std::filesystem::path& file,
        const std::vector<Axis>& axes)
      : task_(task), rewriter_(rewriter), file_(file), axes_(axes) {}

  Result<std::optional<Outcome>> operator()(const Point& proposal, const Point& incumbent) {
    if (task_.stop) return std::optional<Outcome>();
    const Result<std::string> source = source_at(rewriter_, file_, axes_, proposal);
    if (!source.ok() && source.error().fault == Fault::user) return std::optional(Outcome::wrong);
    if (!source.ok()) return source.error();
    if (incumbent != incumbent_) {
      KGB_TRY(baseline_, source_at(rewriter_, file_, axes_, incumbent));
      incumbent_ = incumbent;
    }
    KGB_TRY(const Feedback feedback,
            task_.race({*source, baseline_, text_of(changes_between(axes_, proposal))}));
    return std::optional(outcome_of(feedback.evaluation));
  }

 private:
  const Task& task_;
  const Rewriter& rewriter_;
  const std::filesystem::path& file_;
  const std::vector<Axis>& axes_;
  Point incumbent_;
  std::string baseline_;
};

// The winner is judged whole, on fresh values, and raced against the seed again: the best of many looks
// better than it is.
Status confirm(const Task& task, const std::vector<Axis>& axes, const std::string& winner, Tuned& tuned) {
  const std::vector<Change> changes = changes_between(axes, tuned.found.best);
  KGB_TRY(Feedback feedback, task.race({winner, tuned.seed, "the winner: " + text_of(changes), true}));
  const Outcome outcome = outcome_of(feedback.evaluation);
  tuned.evaluation = std::move(feedback.evaluation);
  if (outcome == Outcome::faster) {
    tuned.source = winner;
    tuned.changes = changes;
    return ok_status();
  }
  const Finding* finding = deciding_finding(tuned.evaluation.findings);
  tuned.why = finding != nullptr ? "the winner of the search does not pass: " + first_line(finding->message)
                                 : "the winner of the search is not faster than the seed when measured again";
  return ok_status();
}

class Tuner final : public Method {
 public:
  explicit Tuner(TunerSettings settings) : settings_(std::move(settings)) {}
  Result<Answer> solve(const Task& task) const override {
    Result<Tuned> tuned = tune(task, settings_);
    // One seed that is no good says nothing of the others; that there is no clock is true of all.
    if (!tuned.ok() && tuned.error().fault == Fault::user && task.race)
      return Answer{Answer::End::given_up, "", tuned.error().message, false, true};
    if (!tuned.ok()) return tuned.error();
    if (task.stop && !tuned->improved()) return Answer{Answer::End::given_up, "", "stopped"};
    return Answer{Answer::End::answered, std::move(tuned->source), tuned->why};
  }

 private:
  TunerSettings settings_;
};

}  // namespace

Outcome outcome_of(const Evaluation& evaluation) {
  // A fault of the host says nothing of the proposal.
  if (evaluation.verdict == Verdict::infra) return Outcome::not_faster;
  if (evaluation.verdict != Verdict::pass) return Outcome::wrong;
  const auto called = [&](const char* call) {
    return std::any_of(evaluation.timings.begin(), evaluation.timings.end(),
                       [&](const Timing& timing) { return timing.call == call; });
  };
  return called("faster") && !called("slower") ? Outcome::faster : Outcome::not_faster;
}

Result<std::filesystem::path> seed_file(const TunerSettings& settings, const Operator& op) {
  const std::filesystem::path& given = settings.seed_kernel;
  if (given.empty()) return op.folder / "expert.py";
  std::error_code ignored;
  if (std::filesystem::is_regular_file(given, ignored)) return given;
  for (const auto& file : {given / candidate_name(op.name), given / (short_name(op.name) + ".py")})
    if (std::filesystem::is_regular_file(file, ignored)) return file;
  return user_error("no seed kernel for " + op.name + " in " + in_quotes(given.string()) +
                    ". It should be a file, or hold " + candidate_name(op.name));
}

Result<Tuned> tune(const Task& task, const TunerSettings& settings) {
  if (!task.race)
    return user_error(
        task.op.name + " cannot be tuned on chip " + task.chip +
        ": the virtual machine is no clock. Tune on a machine with an NVIDIA GPU (--chip auto)");
  Tuned tuned;
  KGB_TRY(const std::filesystem::path from, seed_file(settings, task.op));
  KGB_TRY(tuned.seed, read_text_file(from, kMaxSeedBytes));
  tuned.source = tuned.seed;
  const std::filesystem::path file = task.workspace / "seed.py";
  KGB_CHECK(write_file(file, tuned.seed));
  KGB_TRY(const std::vector<Axis> axes, space_of(settings.rewriter, file));
  tuned.axes = axes.size();
  tuned.found.best = seed_of(axes);
  if (axes.empty()) {
    tuned.why = "there is nothing in it to tune";
    return tuned;
  }
  KGB_TRY(tuned.evaluation, try_seed(task, tuned.seed));
  Races races(task, settings.rewriter, file, axes);
  KGB_TRY(tuned.found, search(axes, {settings.rounds, task.seed}, std::ref(races)));
  if (tuned.found.steps == 0) {
    tuned.why = "no proposal was proven faster than the seed";
    return tuned;
  }
  KGB_TRY(const std::string winner, source_at(settings.rewriter, file, axes, tuned.found.best));
  KGB_CHECK(confirm(task, axes, winner, tuned));
  return tuned;
}

Result<std::unique_ptr<Method>> make_tuner(const TunerSettings& settings) {
  std::error_code ignored;
  if (!settings.seed_kernel.empty() && !std::filesystem::exists(settings.seed_kernel, ignored))
    return user_error("the seed kernel " + in_quotes(settings.seed_kernel.string()) + " is not there");
  return std::unique_ptr<Method>(std::make_unique<Tuner>(settings));
}

}  // namespace kgb::method
