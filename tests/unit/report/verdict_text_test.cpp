// SPDX-License-Identifier: Apache-2.0
// What a refused candidate is told: every kind of failure with its count and one example, and the worst
// error.
#include "report/verdict_text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace kgb {
namespace {

Finding finding(const std::string& kind, const std::string& workload, const std::string& message,
                int line = 0) {
  Finding made;
  made.kind = kind;
  made.workload = workload;
  made.message = message;
  made.file = line > 0 ? "mine.py" : "";
  made.line = line;
  return made;
}

// s0 passes, the others are wrong by 3, 4000 and 20 bounds.
Evaluation wrong() {
  Evaluation e;
  e.op = "aten::add";
  e.candidate = "mine.py";
  e.verdict = Verdict::wrong_value;
  e.seed = "5eed";
  const double ratios[] = {0.5, 3, 4000, 20};
  for (int i = 0; i < 4; ++i) {
    WorkloadResult w;
    w.id = "s" + std::to_string(i);
    w.tier = "smoke";
    w.description = "self f32[" + std::to_string(i) + "]";
    w.verdict = i == 0 ? Verdict::pass : Verdict::wrong_value;
    w.worst_ratio = ratios[i];
    w.worst_at = "return[7]";
    w.elements = 100;
    e.workloads.push_back(w);
    if (i > 0) e.findings.push_back(finding("value_mismatch", w.id, "return[7] is wrong"));
  }
  return e;
}

TEST(VerdictText, FailuresAlikeAreCountedWithAnExample) {
  const std::string text = verdict_text(wrong(), false);
  EXPECT_NE(text.find("  passed    1/4 workloads\n"
                      "  worst     4e+03 x the bound at return[7] of s2: self f32[2]\n"
                      "  also      value_mismatch in 2 workloads more: s2: self f32[2]\n"),
            std::string::npos)
      << text;
}

TEST(VerdictText, EveryFurtherKindIsToldOnceWithItsWorkloads) {
  Evaluation e = wrong();
  for (const char* workload : {"s1", "s3", "s3"})
    e.findings.push_back(finding("value_mismatch", workload, "from another line", 12));
  e.findings.push_back(finding("untimed", "s1", "its host code reads"));
  const std::string text = verdict_text(e, false);
  EXPECT_NE(text.find("  also      from another line (s1 and 1 workload more)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  note      its host code reads (s1)\n"), std::string::npos) << text;
}

TEST(VerdictText, AnErrorWithoutABoundIsTheWorst) {
  Evaluation e = wrong();
  e.workloads[1].worst_ratio = std::numeric_limits<double>::infinity();
  const std::string text = verdict_text(e, false);
  EXPECT_NE(text.find("  worst     beyond every bound at return[7] of s1: self f32[1]\n"), std::string::npos)
      << text;
}

TEST(VerdictText, OfAPassTheWorstErrorStandsInTheLineOfWorkloads) {
  Evaluation e = wrong();
  e.verdict = Verdict::pass;
  e.findings.clear();
  e.workloads.resize(1);
  const std::string text = verdict_text(e, false);
  EXPECT_NE(text.find("  passed    1/1 workloads, worst error over bound 0.50  s0\n"), std::string::npos)
      << text;
  EXPECT_EQ(text.find("  also"), std::string::npos) << text;
  EXPECT_NE(text.find("  seed      " + e.seed + ": --seed brings these values and hidden workloads back\n"),
            std::string::npos)
      << text;
}

TEST(VerdictText, WhereNothingWasComparedThereIsNoWorstError) {
  Evaluation e = wrong();
  e.verdict = Verdict::unsupported;
  for (WorkloadResult& w : e.workloads) {
    w.verdict = Verdict::unsupported;
    w.worst_ratio = 0;
    w.elements = 0;
  }
  EXPECT_NE(verdict_text(e, false).find("  passed    0/4 workloads\n"), std::string::npos);
  e.workloads.clear();
  EXPECT_NE(verdict_text(e, false).find("  passed    no workload was judged\n"), std::string::npos);
}

}  // namespace
}  // namespace kgb
