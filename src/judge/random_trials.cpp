// SPDX-License-Identifier: Apache-2.0
// Sessions with seeds A, A again and B; the same values each time.
#include "judge/random_trials.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "judge/authoring.hpp"
#include "judge/policy.hpp"
#include "judge/random_check.hpp"
#include "judge/trials.hpp"

namespace kgb {
namespace {

using Samples = std::vector<double>;
// What one session drew: "workload/call/path" -> samples.
struct Drawn {
  std::map<std::string, Samples> samples;
  std::map<std::string, Samples> means;
};

double element(const std::byte* at, DType dtype) {
  switch (dtype) {
    case DType::f64: {
      double v;
      std::memcpy(&v, at, sizeof v);
      return v;
    }
    case DType::f32: {
      float v;
      std::memcpy(&v, at, sizeof v);
      return v;
    }
    case DType::i64: {
      std::int64_t v;
      std::memcpy(&v, at, sizeof v);
      return static_cast<double>(v);
    }
    case DType::b8:
    case DType::u8:
      return std::to_integer<int>(*at);
    // Zero and one are all that is due; their patterns are enough, anything else is told apart from both.
    case DType::f16:
    case DType::bf16: {
      std::uint16_t v;
      std::memcpy(&v, at, sizeof v);
      const std::uint16_t one = dtype == DType::f16 ? 0x3C00 : 0x3F80;
      return v == 0 ? 0 : v == one ? 1 : 0.5;
    }
    default:
      return 0.5;
  }
}

Samples samples_of(std::span<const std::byte> bytes, DType dtype) {
  Samples samples(bytes.size() / size_of(dtype));
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = element(bytes.data() + i * size_of(dtype), dtype);
  return samples;
}

Samples means_of(const ExpectedOutput& expected) {
  Samples means(expected.value.size() / sizeof(double));
  std::memcpy(means.data(), expected.value.data(), means.size() * sizeof(double));
  return means;
}

void judge_policy(const Case& open, Job& job) {
  if (!job.recording || !job.findings.empty()) return;
  for (Finding& finding : policy_findings(*job.recording, {}, job.workload.call.workload, open.request.file))
    if (verdict_of(finding.kind)) job.findings.push_back(std::move(finding));
}

// Records with a seed and runs trial 0 of every workload.
Result<Drawn> draw(Case& open, Processes& processes) {
  Drawn drawn;
  for (Job& job : open.jobs) {
    judge_policy(open, job);
    if (!job.recording || !job.findings.empty()) continue;
    KGB_CHECK(judge_contract(open, job, processes));
    if (!job.findings.empty()) continue;
    const auto visit = [&](int call, const TrialOutput& output, std::span<const std::byte> bytes,
                           const ExpectedOutput& expected) {
      const std::string key = fmt::format("{}/{}/{}", job.workload.call.workload, call, expected.path);
      drawn.samples[key] = samples_of(bytes, output.dtype);
      drawn.means[key] = means_of(expected);
    };
    KGB_TRY(const bool ran, judge_trial(open, job, 0, processes, visit));
    (void)ran;
  }
  return drawn;
}

Result<Drawn> author_and_draw(Case& open, Processes& processes, const Catalogue& catalogue,
                              std::uint64_t seed) {
  for (Job& job : open.jobs) job.recording.reset();
  AuthorRequest request;
  request.generator_seed = seed;
  KGB_CHECK(author_jobs(open, processes, catalogue, request));
  return draw(open, processes);
}

Samples variances_of(const Samples& means) {
  Samples variances;
  for (const double p : means) variances.push_back(p * (1 - p));
  return variances;
}

std::optional<std::string> outside_zero_and_one(const Drawn& drawn) {
  for (const auto& [key, samples] : drawn.samples)
    for (const double value : samples)
      if (value != 0 && value != 1) return fmt::format("{}: values other than 0 and 1", key);
  return std::nullopt;
}

std::optional<std::string> statistics(const Drawn& first, const Drawn& other) {
  RandomCheck check;
  for (const Drawn* drawn : {&first, &other})
    for (const auto& [key, samples] : drawn->samples) {
      const Samples& means = drawn->means.at(key);
      check.add(samples, means, variances_of(means));
    }
  for (const auto& [key, samples] : first.samples) {
    const Samples& means = first.means.at(key);
    // Another seed, same values; and the next call of the same trial, whose probabilities differ, is left to
    // serial tests.
    if (const auto twin = other.samples.find(key);
        twin != other.samples.end() && twin->second.size() == samples.size())
      check.add_pair(samples, twin->second, means, variances_of(means));
  }
  return check.verdict();
}

// Calls 1 and 2 of a workload with equal probabilities must not repeat each other.
std::optional<std::string> repeats(const Drawn& drawn) {
  for (const auto& [key, samples] : drawn.samples) {
    std::string next = key;
    const std::size_t slash = key.find('/');
    next[slash + 1] = static_cast<char>(key[slash + 1] + 1);
    const auto twin = drawn.samples.find(next);
    if (twin == drawn.samples.end() || drawn.means.at(key) != drawn.means.at(next)) continue;
    double variance = 0;
    for (const double p : drawn.means.at(key)) variance += p * (1 - p);
    if (variance >= 40 && twin->second == samples)
      return fmt::format("{}: two calls in a row gave the same output", key);
  }
  return std::nullopt;
}

}  // namespace

Status judge_random(Case& open, Processes& processes, const Catalogue& catalogue) {
  const std::uint64_t seed = open.request.seed;
  KGB_TRY(const Drawn first, draw(open, processes));  // the static gate recorded with this seed
  if (decide(open.findings) != Verdict::pass ||
      std::any_of(open.jobs.begin(), open.jobs.end(),
                  [](const Job& j) { return decide(j.findings) != Verdict::pass; }))
    return ok_status();
  KGB_TRY(const Drawn again, author_and_draw(open, processes, catalogue, seed));
  KGB_TRY(const Drawn other, author_and_draw(open, processes, catalogue, seed ^ 0x9E3779B97F4A7C15ULL));
  std::optional<std::string> wrong = outside_zero_and_one(first);
  if (!wrong && again.samples != first.samples) wrong = "the same seed gave another output";
  if (!wrong) wrong = repeats(first);
  if (!wrong) wrong = statistics(first, other);
  if (wrong) open.findings.push_back(make_finding("not_random", Gate::correct, *wrong));
  return ok_status();
}

}  // namespace kgb
