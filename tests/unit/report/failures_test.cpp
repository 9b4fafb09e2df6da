// SPDX-License-Identifier: Apache-2.0
// The classes of failures: every kind of finding has one, and names that do not exist are told apart.
#include "report/failures.hpp"

#include <gtest/gtest.h>

#include <set>

namespace kgb {
namespace {

StoredEvaluation failed(const std::string& kind, const std::string& message) {
  StoredEvaluation stored;
  stored.source = "x = 1\n";
  stored.evaluation.verdict = verdict_of(kind).value();
  stored.evaluation.findings.push_back({kind, Gate::correct, message, "", "", 0, {}});
  return stored;
}

TEST(FailureClass, IsKnownForEveryKindThatDecidesAVerdictAndForNoOther) {
  constexpr std::string_view kKinds[]{
#define KGB_FINDING(kind, verdict) #kind,
#include "model/finding_kinds.def"
#undef KGB_FINDING
  };
  for (const std::string_view kind : kKinds) {
    const std::optional<Verdict> verdict = verdict_of(kind);
    const bool decides = verdict.has_value() && verdict != Verdict::infra;
    EXPECT_EQ(failure_class_of(kind).has_value(), decides) << kind;
  }
  EXPECT_FALSE(failure_class_of("no_such_kind").has_value());
}

TEST(FailureClass, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(FailureClass::other); ++i)
    EXPECT_TRUE(names.insert(name_of(static_cast<FailureClass>(i))).second) << i;
}

TEST(FailureOf, TellsInventedNamesFromOtherErrors) {
  const auto of = [](const char* kind, const char* message) { return failure_of(failed(kind, message)); };
  EXPECT_EQ(of("host_exception", "AttributeError: module 'triton.language' has no attribute 'tanh'"),
            FailureClass::invented_api);
  EXPECT_EQ(of("frontend_error", "TypeError: load() got an unexpected keyword argument 'stride'"),
            FailureClass::invented_api);
  EXPECT_EQ(of("import_error", "ImportError: cannot import name 'math' from 'triton'"),
            FailureClass::invented_api);
  EXPECT_EQ(of("host_exception", "AttributeError: 'NoneType' object has no attribute 'shape'"),
            FailureClass::exception);
  EXPECT_EQ(of("frontend_error", "incompatible dimensions"), FailureClass::does_not_compile);
  EXPECT_EQ(of("value_mismatch", "has no attribute of a softmax"), FailureClass::wrong_value);
}

TEST(FailureOf, IsNothingForPassesAndForWhatTheHostFailedAt) {
  StoredEvaluation passed;
  passed.evaluation.verdict = Verdict::pass;
  EXPECT_FALSE(failure_of(passed).has_value());
  EXPECT_FALSE(failure_of(failed("infra", "the executor died")).has_value());
}

TEST(FailureOf, AnAnswerWithoutCodeIsOneWhateverItWasJudgedAs) {
  StoredEvaluation empty = failed("not_utf8", "the file is empty");
  empty.source = " \n";
  EXPECT_EQ(failure_of(empty), FailureClass::no_code);
  EXPECT_EQ(failure_of(failed("no_code", "no source text")), FailureClass::no_code);
}

TEST(FailureOf, AVerdictWithoutEvidenceStillCounts) {
  StoredEvaluation bare = failed("value_mismatch", "");
  bare.evaluation.findings.clear();
  EXPECT_EQ(failure_of(bare), FailureClass::other);
}

}  // namespace
}  // namespace kgb
