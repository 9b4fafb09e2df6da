// SPDX-License-Identifier: Apache-2.0
// What a series of turns says: faster, slower, or why nobody can tell.
#include "judge/timing.hpp"

#include <gtest/gtest.h>

namespace kgb {
namespace {

// `turns` turns of constant times; seconds.
Series series_of(std::size_t turns, double candidate, double baseline) {
  Series series;
  for (std::size_t turn = 0; turn < turns; ++turn) {
    series.candidate.push_back(candidate);
    series.baseline.push_back(baseline);
    series.ratio.push_back(baseline / candidate);
  }
  return series;
}

Timing said(const Series& series, const std::string& baseline = "torch") {
  return timing_of(Job{}, series, baseline, 0.02);
}

TEST(TimingOf, SaysFasterAndSlowerBeyondTheMargin) {
  const Timing faster = said(series_of(20, 1e-6, 2e-6));
  EXPECT_EQ(faster.call, "faster");
  EXPECT_DOUBLE_EQ(faster.ratio.value_or(0), 2.0);
  EXPECT_EQ(faster.baseline_name, "torch");
  EXPECT_EQ(said(series_of(20, 2e-6, 1e-6)).call, "slower");
}

TEST(TimingOf, WithoutABaselineTheTimeStandsAlone) {
  const Timing timing = said({.candidate = {3e-6}, .baseline = {}, .ratio = {}}, "");
  EXPECT_EQ(timing.call, "cannot tell");
  EXPECT_DOUBLE_EQ(timing.candidate.value_or(0), 3e-6);
  EXPECT_EQ(timing.why, "the operator has no baseline on this chip");
}

TEST(TimingOf, ABaselineThatRunsNothingIsNotFaster) {
  for (const double idle : {0.0, 4e-8}) {
    const Timing timing = said(series_of(20, 8e-7, idle));
    EXPECT_EQ(timing.call, "cannot tell");
    EXPECT_FALSE(timing.ratio.has_value());
    EXPECT_EQ(timing.why, "the baseline (torch) runs nothing on the device for this call");
  }
}

TEST(TooFast, IsWhatMovedItsBytesFasterThanMemoryCan) {
  Entry entry;
  entry.schema = parse_schema("(Tensor self) -> Tensor").value();
  Job job;
  note_too_fast(entry, job, series_of(20, 2e-6, 1e-6), 8e6, 15e12);
  EXPECT_TRUE(job.findings.empty());
  note_too_fast(entry, job, series_of(20, 1e-8, 1e-6), 8e6, 15e12);
  ASSERT_EQ(job.findings.size(), 1u);
  EXPECT_EQ(job.findings[0].kind, "too_fast");
}

// resolve_neg, contiguous and to give their argument back where nothing is to be done: no byte moves.
TEST(TooFast, IsNoEntryThatMayAnswerWithAView) {
  Entry entry;
  for (const char* schema :
       {"(Tensor(a) self) -> Tensor(a)", "(Tensor(a) self, int dim) -> (Tensor(a), Tensor)"}) {
    entry.schema = parse_schema(schema).value();
    Job job;
    note_too_fast(entry, job, series_of(20, 0, 0), 8e6, 15e12);
    EXPECT_TRUE(job.findings.empty()) << schema;
  }
  entry.schema = parse_schema("(Tensor(a!) self) -> Tensor(a!)").value();  // written: every byte moves
  Job job;
  note_too_fast(entry, job, series_of(20, 0, 0), 8e6, 15e12);
  EXPECT_EQ(job.findings.size(), 1u);
}

TEST(TimingOf, FewTurnsSayNothing) {
  const Timing timing = said(series_of(3, 1e-6, 2e-6));
  EXPECT_EQ(timing.call, "cannot tell");
  EXPECT_EQ(timing.why, "only 3 turns fit into the time limit");
}

}  // namespace
}  // namespace kgb
