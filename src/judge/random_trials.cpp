// SPDX-License-Identifier: Apache-2.0
// Sessions with seeds A, A again and B; the same values each time.
#include "judge/random_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <span>

#include "judge/authoring.hpp"
#include "judge/policy.hpp"
#include "judge/quick_device.hpp"
#include "judge/random_check.hpp"
#include "judge/random_law.hpp"
#include "judge/timing.hpp"
#include "judge/trials.hpp"
#include "model/element.hpp"

namespace kgb {
namespace {

using Samples = std::vector<double>;

// One output of one call in one session.
struct Sample {
  Samples raw;
  Samples a, b;  // the law's parameters; b may be empty
  Law law = Law::bernoulli;
  DType dtype = DType::f32;
  Standardised standard;
};
// What one session drew, by "workload/call/path".
using Drawn = std::map<std::string, Sample>;

Samples decoded(std::span<const std::byte> bytes, DType dtype) {
  Samples samples(bytes.size() / size_of(dtype));
  if (is_float(dtype)) {
    decode_reals(dtype, bytes.data(), samples);
  } else {
    std::vector<std::int64_t> whole(samples.size());
    decode_integers(dtype, bytes.data(), whole);
    std::transform(whole.begin(), whole.end(), samples.begin(),
                   [](std::int64_t v) { return static_cast<double>(v); });
  }
  return samples;
}

Result<Sample> sample_of(const ExpectedOutput& expected, std::span<const std::byte> bytes, DType dtype,
                         std::uint64_t salt) {
  Sample sample;
  const std::optional<Law> law = law_from_text(expected.rule);
  if (!law)
    return internal_error(
        fmt::format("the reference gives the rule '{}' for {}; random outputs need bernoulli, uniform, "
                    "exponential or poisson",
                    expected.rule, expected.path));
  sample.law = *law;
  sample.dtype = dtype;
  sample.raw = decoded(bytes, dtype);
  sample.a.resize(expected.value.size() / sizeof(double));
  std::memcpy(sample.a.data(), expected.value.data(), sample.a.size() * sizeof(double));
  sample.b.assign(expected.magnitude.begin(), expected.magnitude.end());
  if (sample.a.size() != sample.raw.size() || (*law == Law::uniform && sample.b.size() != sample.raw.size()))
    return internal_error(
        fmt::format("the reference does not give a law for every element of {}", expected.path));
  sample.standard = standardise(*law, sample.raw, sample.a, sample.b, dtype, salt);
  return sample;
}

// Of sessions that draw with the candidate's first seed; others have their own seed's number, which is odd.
constexpr std::uint64_t kFirstSession = 0, kDeviceSession = 2;

// Trial 0 of a workload whose plan may run, on the VM or behind it on the device; what it draws is added.
// `session` tells sessions apart.
Status draw_job(Case& open, Job& job, Where where, std::uint64_t session, Processes& processes,
                Drawn& drawn) {
  Status understood = ok_status();
  std::uint64_t salt = session << 32 | drawn.size();
  const auto visit = [&](int call, const TrialOutput& output, std::span<const std::byte> bytes,
                         const ExpectedOutput& expected) {
    if (expected.rule == "skip") return;
    Result<Sample> sample = sample_of(expected, bytes, output.dtype, ++salt * 0x2545F4914F6CDD1DULL);
    if (sample)
      drawn[fmt::format("{}/{}/{}", job.workload.call.workload, call, expected.path)] = std::move(*sample);
    else
      understood = sample.error();
  };
  const Result<bool> ran = where == Where::vm
                               ? judge_on_vm(open, job, processes, visit)
                               : judge_trial(open, job, {0, Where::device, true}, processes, visit);
  return ran.ok() ? understood : ran.error();
}

bool passes(const Job& job) {
  return decide(job.findings) == Verdict::pass;
}

bool failed(const Case& open) {
  return decide(open.findings) != Verdict::pass || !std::all_of(open.jobs.begin(), open.jobs.end(), passes);
}

std::vector<Job*> runnable_jobs(Case& open) {
  std::vector<Job*> jobs;
  for (Job& job : open.jobs)
    if (!job.only_timed && job.recording && passes(job)) jobs.push_back(&job);
  return jobs;
}

// Policy, contract and trial 0 of every recorded workload on the VM, which sees every access. `advisory`:
// also tell of what leads to no verdict, once.
Result<Drawn> draw(Case& open, Processes& processes, bool advisory, std::uint64_t session) {
  Drawn drawn;
  for (Job* job : runnable_jobs(open)) {
    apply_policy(open, *job, advisory);
    if (!passes(*job)) continue;
    KGB_CHECK(judge_contract(open, *job, 0, processes));
    // What the VM could not run once it cannot run again.
    if (!passes(*job) || !watched(*job)) continue;
    KGB_CHECK(draw_job(open, *job, Where::vm, session, processes, drawn));
    // The verdict stands; every further workload could take the whole limit again.
    if (decide(job->findings) == Verdict::timeout) break;
  }
  return drawn;
}

// What the plans that the VM has run draw on the device, on the same values.
Result<Drawn> draw_after_vm(Case& open, std::span<Job* const> jobs, Processes& processes,
                            std::uint64_t session) {
  Drawn drawn;
  for (Job* job : jobs) {
    KGB_CHECK(draw_job(open, *job, Where::device, session, processes, drawn));
    if (decide(job->findings) == Verdict::timeout) break;
  }
  return drawn;
}

// A session with a seed of its own. Its plans are new, so the VM sees them before a device does.
Result<Drawn> author_and_draw(Case& open, Processes& processes, const Catalogue& catalogue, bool on_device,
                              std::uint64_t seed) {
  for (Job& job : open.jobs) job.recording.reset();
  AuthorRequest request;
  request.generator_seed = seed;
  KGB_CHECK(author_jobs(open, processes, catalogue, request));
  KGB_TRY(Drawn by_vm, draw(open, processes, false, seed | 1));
  if (!on_device || failed(open)) return by_vm;
  return draw_after_vm(open, runnable_jobs(open), processes, seed | 1);
}

std::optional<std::string> impossible(const Drawn& drawn) {
  for (const auto& [key, sample] : drawn)
    if (sample.standard.impossible) return fmt::format("{}: {}", key, *sample.standard.impossible);
  return std::nullopt;
}

double free_variance(const Sample& sample) {
  double sum = 0;
  for (const double v : sample.standard.variances) sum += v;
  return sum;
}

// Whether f64 values of this law hardly ever repeat: it is continuous, and an interval is no sliver of f64.
bool never_repeats(const Sample& sample, std::size_t i) {
  if (sample.dtype != DType::f64 || sample.standard.variances[i] == 0) return false;
  if (sample.law == Law::exponential) return true;
  const double a = sample.a[i], b = sample.law == Law::uniform ? sample.b[i] : a;
  return std::abs(b - a) > 0x1p-16 * std::max(std::abs(a), std::abs(b));
}

// Samples with the parameters of the first one whose values never repeat.
std::vector<double> fine(const Sample& sample) {
  std::vector<double> found;
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < sample.raw.size(); ++i) {
    if (!never_repeats(sample, i)) continue;
    if (!first) first = i;
    const bool same_b = sample.b.empty() || sample.b[i] == sample.b[*first];
    if (sample.a[i] == sample.a[*first] && same_b) found.push_back(sample.raw[i]);
  }
  return found;
}

std::optional<std::string> statistics(const Drawn& first, const Drawn& other) {
  RandomCheck check;
  for (const Drawn* drawn : {&first, &other})
    for (const auto& [key, sample] : *drawn) {
      const Standardised& s = sample.standard;
      check.add(s.values, s.means, s.variances);
      if (sample.law != Law::bernoulli) check.add_spread(s.values, s.variances);
      check.add_fine(fine(sample));
    }
  for (const auto& [key, sample] : first) {
    // Another seed, same values; and the next call of the same trial, whose parameters differ, is left to
    // serial tests.
    if (const auto twin = other.find(key);
        twin != other.end() && twin->second.raw.size() == sample.raw.size())
      check.add_pair(sample.standard.values, twin->second.standard.values, sample.standard.means,
                     sample.standard.variances);
  }
  return check.verdict();
}

// Calls 1 and 2 of a workload with equal parameters must not repeat each other.
std::optional<std::string> repeats(const Drawn& drawn) {
  for (const auto& [key, sample] : drawn) {
    std::string next = key;
    const std::size_t slash = key.find('/');
    next[slash + 1] = static_cast<char>(key[slash + 1] + 1);
    const auto twin = drawn.find(next);
    if (twin == drawn.end() || sample.a != twin->second.a || sample.b != twin->second.b) continue;
    if (free_variance(sample) >= 40 && twin->second.raw == sample.raw)
      return fmt::format("{}: two calls in a row gave the same output", key);
  }
  return std::nullopt;
}

// NaN equals NaN here: the same seed must give the same bytes. What the VM could run in one session alone is
// missing in the other.
bool same(const Drawn& first, const Drawn& again) {
  return std::all_of(first.begin(), first.end(), [&](const auto& item) {
    const auto twin = again.find(item.first);
    if (twin == again.end()) return true;
    const Samples &x = item.second.raw, &y = twin->second.raw;
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](double p, double q) { return p == q || (p != p && q != q); });
  });
}

struct Sessions {
  Drawn first, again, other;
};
// What is wrong with the numbers of all sessions together, if anything.
std::optional<std::string> wrong_with(const Sessions& drawn) {
  std::optional<std::string> wrong = impossible(drawn.first);
  if (!wrong) wrong = impossible(drawn.other);
  if (!wrong && !same(drawn.first, drawn.again)) wrong = "the same seed gave another output";
  if (!wrong) wrong = repeats(drawn.first);
  if (!wrong) wrong = statistics(drawn.first, drawn.other);
  return wrong;
}

void note(Case& open, const std::optional<std::string>& wrong) {
  if (wrong) open.findings.push_back(make_finding("not_random", Gate::correct, *wrong));
}

// What the plans of the last session draw on the device, of those whose kernels it gets in the profile quick.
Status look_at_device(Case& open, Processes& processes, const Catalogue& catalogue) {
  const std::vector<Job*> jobs = runnable_jobs(open);
  KGB_TRY(const Drawn device, draw_after_vm(open, device_jobs(jobs, timed_jobs(open, catalogue, false)),
                                            processes, kDeviceSession));
  if (failed(open)) return ok_status();
  const std::optional<std::string> wrong = impossible(device);
  note(open, wrong ? wrong : statistics(device, {}));
  return ok_status();
}

}  // namespace

Status judge_random(Case& open, Processes& processes, const Catalogue& catalogue) {
  const std::uint64_t seed = open.request.seed;
  Sessions drawn;
  // The static gate recorded with this seed.
  KGB_TRY(drawn.first, draw(open, processes, true, kFirstSession));
  if (failed(open)) return ok_status();
  // Three sessions want the kernels of all workloads. Compiling them costs more than the rest of the judging,
  // so the profile quick has its statistics from the VM.
  const bool at_home =
      open.on_device() && !(open.quick() && std::all_of(open.jobs.begin(), open.jobs.end(), watched));
  if (at_home) {
    KGB_TRY(drawn.first, draw_after_vm(open, runnable_jobs(open), processes, kFirstSession));
  }
  if (failed(open)) return ok_status();
  KGB_TRY(drawn.again, author_and_draw(open, processes, catalogue, at_home, seed));
  KGB_TRY(drawn.other, author_and_draw(open, processes, catalogue, at_home, seed ^ 0x9E3779B97F4A7C15ULL));
  if (failed(open)) return ok_status();
  note(open, wrong_with(drawn));
  if (!open.on_device() || at_home || failed(open)) return ok_status();
  return look_at_device(open, processes, catalogue);
}

}  // namespace kgb
