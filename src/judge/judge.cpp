// SPDX-License-Identifier: Apache-2.0
// The judge.
//
// Theory of operation. `kgbench` (this process) plans, compares and decides; it loads neither torch nor a
// candidate. It drives four kinds of processes by the wire structs of `model`, each with its own trust:
//   author    runs the candidate's host code, locked, without device, clock or real values. What it writes is
//   hostile
//             input: launch plans that are validated, frames that must carry a nonce. Its death is the
//             candidate's.
//   compiler  turns the plan's TTIR into a target's code, locked. Its death is that kernel's failure on that
//   target. executor  trusted code that runs launch plans on fresh values, on the VM or a device. It never
//   sees an expected
//             value, because a kernel that escapes could read it.
//   oracle    trusted Python that computes expected values from the same seeds. It never sees a candidate.
// Values come from a secret seed, so executor and oracle make the same inputs without handing them around.
//   1. static   the author imports the candidate and records every workload's three calls in one process
//   2. compile  the recorded kernels are cross-compiled (advisory)
//   3. correct  policy on the plan, contract, then trials: executor's outputs against the oracle's, element
//   by element
//   4. honest   every output element came from a launch
//   5. fast     what passed and can be timed is timed
// The verdict is that of the gravest finding (docs/contracts/findings.md). What fails on our side is `infra`.
#include "judge/judge.hpp"

#include <algorithm>
#include <cstring>

#include "base/text.hpp"
#include "judge/authoring.hpp"
#include "judge/gates.hpp"
#include "judge/impl.hpp"
#include "judge/policy.hpp"
#include "judge/timing.hpp"

namespace kgb {

#define KGB_GATE(name) Status gate_##name(Case&, Processes&, const Catalogue&);
#include "judge/gates.def"
#undef KGB_GATE

const std::vector<GateRow>& gates() {
  static const std::vector<GateRow> rows{
#define KGB_GATE(name) {Gate::name, gate_##name},
#include "judge/gates.def"
#undef KGB_GATE
  };
  return rows;
}

bool goes_on(const Case& open) {
  const auto fatal = [](const Finding& f) { return verdict_of(f.kind).has_value(); };
  return std::none_of(open.findings.begin(), open.findings.end(), fatal);
}

Judge::Judge(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Judge::~Judge() = default;
const Catalogue& Judge::catalogue() const {
  return impl_->catalogue;
}
bool Judge::has_memcheck() const {
  return !impl_->processes->memcheck_tool().empty();
}

Result<std::unique_ptr<Judge>> Judge::open(JudgeSetup setup, Catalogue catalogue) {
  KGB_TRY(std::unique_ptr<Processes> processes, Processes::start(setup));
  auto impl = std::make_unique<Impl>(Impl{std::move(setup), std::move(catalogue), std::move(processes)});
  return std::unique_ptr<Judge>(new Judge(std::move(impl)));
}

namespace {

bool every_workload_failed(const Case& open) {
  return std::all_of(open.jobs.begin(), open.jobs.end(),
                     [](const Job& job) { return decide(job.findings) != Verdict::pass; });
}

Status run_gates(Case& open, Processes& processes, const Catalogue& catalogue) {
  if (open.jobs.empty()) return ok_status();  // the library has none of the entries
  for (const GateRow& row : gates()) {
    if (open.stopped()) return ok_status();
    if (row.gate == Gate::fast) {
      const bool failed = std::any_of(open.jobs.begin(), open.jobs.end(),
                                      [](const Job& job) { return decide(job.findings) != Verdict::pass; });
      if (failed) return ok_status();
    }
    open.reached = row.gate;
    if (open.request.progress) open.request.progress(row.gate, 0, open.jobs.size());
    KGB_CHECK(row.run(open, processes, catalogue));
    if (!goes_on(open) || every_workload_failed(open)) return ok_status();
  }
  return ok_status();
}

}  // namespace

namespace {

// A candidate that takes so many devices with it gets no more of them.
constexpr std::size_t kMostLost = 2;

// Statistics tell nothing of a single value, so what is wrong with random numbers may be the device's doing.
bool odd_numbers(const Case& open) {
  return open.random() && open.reached >= Gate::correct &&
         std::any_of(open.jobs.begin(), open.jobs.end(),
                     [](const Job& job) { return decide(job.findings) != Verdict::pass; });
}

Result<Evaluation> judge_once(Case open, Processes& processes, const Catalogue& catalogue) {
  {
    const StageClock clock(open, "total");
    Status done = run_gates(open, processes, catalogue);
    if (!done.ok()) {
      open.findings.clear();
      open.findings.push_back(make_finding("infra", open.reached, done.error().message));
    }
  }
  // What was killed for it left findings that are not the candidate's.
  if (open.stopped()) return user_error("the evaluation was stopped before its end");
  if (open.seat != nullptr && odd_numbers(open)) open.seat->blame();
  return close_case(std::move(open));
}

// Shapes of the user's own are asked of the reference first: one that it refuses is their mistake, and no
// candidate could be right on it. Its values are asked for, too: an `out` of another shape, or what depends
// on values, shows there alone, and the first trial wants them anyway.
Status own_are_taken(const JudgeRequest& request, const Catalogue& catalogue, Expectations& expectations) {
  if (request.own.empty()) return ok_status();
  KGB_TRY(const Operator* const op, catalogue.find(request.op));
  for (const Workload& workload : request.own) {
    const auto expected = op->tagged("random")
                              ? expectations.contract(*op, workload.call)
                              : expectations.values(*op, workload.call, {request.seed, 0, 0});
    if (expected && !(*expected)->raises) continue;
    return user_error(op->name + " takes no such workload: " + describe(workload.call) + ". " +
                      (expected ? "It raises " + *(*expected)->raises : expected.error().message));
  }
  return ok_status();
}

}  // namespace

Result<Evaluation> Judge::judge(const JudgeRequest& request, const Observer& observer) {
  KGB_CHECK(own_are_taken(request, impl_->catalogue, impl_->processes->expectations()));
  std::vector<std::string> left_out;
  while (true) {
    KGB_TRY(Case open, open_case(request, impl_->catalogue));
    open.observer = observer;
    if (!open.on_device() || open.language == "cpp")
      return judge_once(std::move(open), *impl_->processes, impl_->catalogue);
    KGB_TRY(Seat seat, impl_->processes->stations().take());
    open.seat = &seat;
    KGB_TRY(Evaluation evaluation, judge_once(std::move(open), *impl_->processes, impl_->catalogue));
    // A result is given out only when its values were right or its device is: so none need be taken back.
    if (seat.trusted()) {
      evaluation.device->instead_of = std::move(left_out);
      return evaluation;
    }
    left_out.push_back(seat.station().name() + ": " + seat.station().why());
    if (impl_->setup.note)
      impl_->setup.note(seat.station().name() + " fails its probe and is left out: " + seat.station().why());
    if (left_out.size() < kMostLost) continue;
    evaluation.findings.assign(1, make_finding("infra", evaluation.reached,
                                               "devices failed while they judged this candidate, one after "
                                               "the other, and it gets no more: " +
                                                   join(left_out, "; ")));
    evaluation.verdict = Verdict::infra;
    evaluation.timings.clear();
    evaluation.device->instead_of = std::move(left_out);
    return evaluation;
  }
}

namespace {

// The author saw the candidate under a name of its own; the user knows it by another.
void name_places(Recording& recording, const JudgeRequest& request) {
  for (RecordedCall& call : recording.calls) {
    for (Node& node : call.nodes)
      std::visit(
          [&](auto& n) {
            if constexpr (requires { n.file; }) n.file = shown_file(request, n.file);
          },
          node);
    for (Event& event : call.events) event.file = shown_file(request, event.file);
  }
}

}  // namespace

Result<std::vector<Judge::Planned>> Judge::plan(const JudgeRequest& request) {
  KGB_TRY(Case open, open_case(request, impl_->catalogue));
  if (open.language == "cpp")
    return user_error(
        "C++ candidates have no launch plan; kgbench judge runs them in a process of their own");
  AuthorRequest author;
  author.generator_seed = request.seed;
  KGB_CHECK(author_jobs(open, *impl_->processes, impl_->catalogue, author));
  std::vector<Planned> planned;
  for (Job& job : open.jobs) {
    Planned row{job.workload.call.workload, job.workload.call, job.calls, std::move(job.recording),
                std::move(job.findings)};
    for (const Finding& finding : open.findings) row.findings.push_back(finding);
    if (row.recording) name_places(*row.recording, request);
    if (row.recording)
      for (Finding& finding : policy_findings(*row.recording, row.workload, request))
        row.findings.push_back(std::move(finding));
    planned.push_back(std::move(row));
  }
  return planned;
}

const std::vector<std::string>& Judge::import_folders() const {
  return impl_->processes->interpreter().paths;
}

Result<std::vector<std::string>> Judge::timed_workloads(const JudgeRequest& request) const {
  KGB_TRY(Case open, open_case(request, impl_->catalogue));
  std::vector<std::string> ids;
  for (const Job* job : timed_jobs(open, impl_->catalogue, false)) ids.push_back(job->workload.call.workload);
  // Where all are edge cases, the first will do.
  if (ids.empty() && !open.jobs.empty()) ids.push_back(open.jobs.front().workload.call.workload);
  return ids;
}

std::uint64_t fresh_seed() {
  std::uint64_t seed = 0;
  const Result<std::string> bytes = random_bytes(sizeof seed);
  if (bytes.ok()) std::memcpy(&seed, bytes->data(), sizeof seed);
  return seed;
}

}  // namespace kgb
