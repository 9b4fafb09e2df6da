// SPDX-License-Identifier: Apache-2.0
// What each tool asks the judge for, and what it lets its caller know.
#include "serve/tools.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <regex>

#include "judge/finding_help.hpp"
#include "serve/arguments.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

Evaluation passing(const Asked& asked) {
  Evaluation e;
  e.op = "aten::softmax";
  e.candidate = asked.file;
  e.chip = "cpu";
  e.mode = asked.file.ends_with(".cpp") ? "in-process" : "plan";
  e.verdict = Verdict::pass;
  e.reached = Gate::fast;
  e.seed = "5292936db7ec8c6f";
  e.workloads = {{"s0", "smoke", "self f32[8,128]", Verdict::pass, 0, "return[0]", 1, ""},
                 {"h1", "hidden", "self f16[4,311]", Verdict::pass, 0, "return[0]", 1, ""}};
  return e;
}

class Tools : public testing::Test {
 protected:
  static const Catalogue& catalogue() {
    static const Result<Catalogue> loaded = Catalogue::load(KGB_SOURCE_DIR "/catalogue", {});
    return *loaded;
  }
  Result<ToolAnswer> run(const std::string& name, const json& arguments) {
    for (const Tool& tool : tools) {
      if (tool.name != name) continue;
      EXPECT_EQ(complaint_of(arguments, tool.input_schema), "");
      return tool.run(arguments, {stop, [this](double done, double total, const std::string& what) {
                                    progress.push_back(what);
                                    EXPECT_LE(done, total);
                                  }});
    }
    return internal_error("no tool " + name);
  }

  std::atomic<bool> stop{false};
  std::vector<std::string> progress;
  std::vector<Asked> asked;
  std::function<Evaluation(const Asked&)> judge = passing;
  std::shared_ptr<Workbench> bench = std::make_shared<Workbench>(catalogue(), [this](const Asked& one) {
    asked.push_back(one);
    one.progress(Gate::correct, 2, 4);
    return Result<Evaluation>(judge(one));
  });
  std::vector<Tool> tools = kernel_tools(bench);
};

TEST_F(Tools, AreListedWithSchemasThatForbidWhatTheyDoNotKnow) {
  std::vector<std::string> names;
  for (const Tool& tool : tools) {
    names.push_back(tool.name);
    EXPECT_FALSE(tool.description.empty());
    EXPECT_EQ(tool.input_schema["type"], "object");
    EXPECT_EQ(tool.input_schema["additionalProperties"], false);
    EXPECT_TRUE(tool.input_schema["required"].is_array());
    EXPECT_TRUE(tool.input_schema["properties"].is_object()) << tool.name;
  }
  EXPECT_EQ(names, (std::vector<std::string>{"list_operators", "show_operator", "check_kernel",
                                             "evaluate_kernel", "compare_kernels", "explain_verdict"}));
}

TEST_F(Tools, OnlyThoseThatJudgeAreSlow) {
  for (const Tool& tool : tools)
    EXPECT_EQ(tool.slow, tool.name.find("kernel") != std::string::npos) << tool.name;
}

TEST_F(Tools, ListOperatorsByFilters) {
  const Result<ToolAnswer> all = run("list_operators", json::object());
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->structured["operators"].size(), 210u);
  const Result<ToolAnswer> some = run("list_operators", {{"suite", "vllm"}, {"name", "RMS"}});
  ASSERT_TRUE(some.ok());
  for (const json& op : some->structured["operators"])
    EXPECT_NE(op["name"].get<std::string>().find("rms"), std::string::npos);
  EXPECT_EQ(run("list_operators", {{"family", "reduse"}}).error().fault, Fault::user);
}

TEST_F(Tools, ShowAnOperatorWithItsStub) {
  const Result<ToolAnswer> shown = run("show_operator", {{"op", "rms_norm"}});
  ASSERT_TRUE(shown.ok());
  EXPECT_NE(shown->structured["stub"].get<std::string>().find("def rms_norm("), std::string::npos);
  EXPECT_NE(shown->text.find("hidden workloads: "), std::string::npos);
  EXPECT_FALSE(run("show_operator", {{"op", "rms_nrm"}}).ok());
}

TEST_F(Tools, CheckQuicklyAndSayThatThisIsNoVerdict) {
  const Result<ToolAnswer> answer = run("check_kernel", {{"op", "softmax"}, {"source", "x"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_TRUE(asked.at(0).quick);
  EXPECT_EQ(asked.at(0).file, "candidate.py");
  EXPECT_EQ(asked.at(0).stop, &stop);
  EXPECT_NE(answer->text.find("evaluate_kernel gives the verdict"), std::string::npos);
}

TEST_F(Tools, EvaluateWholeWithProgress) {
  const Result<ToolAnswer> answer =
      run("evaluate_kernel", {{"op", "softmax"}, {"source", "x"}, {"language", "cpp"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_FALSE(asked.at(0).quick);
  EXPECT_EQ(asked.at(0).file, "candidate.cpp");
  EXPECT_EQ(asked.at(0).seed, 0u);  // a fresh one
  EXPECT_EQ(progress, std::vector<std::string>{"gate correct, workload 3 of 4"});
  EXPECT_EQ(answer->structured["verdict"], "pass");
}

TEST_F(Tools, NeverTellOfHiddenWorkloads) {
  judge = [](const Asked& one) {
    Evaluation e = passing(one);
    e.verdict = Verdict::wrong_value;
    Finding finding;
    finding.kind = "value_mismatch";
    finding.workload = "h1";
    finding.message = "return[3,310] = 7";
    finding.details = {{"pattern", "all 1244 elements: all zero"}};
    e.findings = {finding};
    return e;
  };
  const Result<ToolAnswer> evaluated = run("evaluate_kernel", {{"op", "softmax"}, {"source", "x"}});
  ASSERT_TRUE(evaluated.ok());
  const std::string name = evaluated->structured["evaluation"];
  const Result<ToolAnswer> compared =
      run("compare_kernels", {{"op", "softmax"}, {"source_a", "x"}, {"source_b", "y"}});
  const Result<ToolAnswer> explained = run("explain_verdict", {{"evaluation", name}});
  for (const Result<ToolAnswer>* answer : {&evaluated, &compared, &explained}) {
    ASSERT_TRUE(answer->ok());
    const std::string all = (*answer)->text + (*answer)->structured.dump();
    EXPECT_NE(all.find("value_mismatch in a hidden workload: all elements, zero"), std::string::npos);
    EXPECT_EQ(all.find("5292936db7ec8c6f"), std::string::npos);
    const std::string rest = std::regex_replace(all, std::regex("[0-9a-f]{16}"), "");  // names are random
    for (const char* secret : {"311", "310", "1244", "f16"})
      EXPECT_EQ(rest.find(secret), std::string::npos) << secret << "\n" << all;
  }
}

Timing timing_of(const std::string& workload, double ratio) {
  Timing timing;
  timing.workload = workload;
  timing.ratio = ratio;
  timing.ratio_low = 0.9 * ratio;
  timing.ratio_high = 1.1 * ratio;
  timing.candidate = 1e-3 / ratio;
  timing.baseline = 1e-3;
  timing.call = "faster";
  timing.baseline_name = "torch";
  return timing;
}

TEST_F(Tools, CompareOnTheSameValuesAndGiveTheRatioWithItsInterval) {
  judge = [](const Asked& one) {
    Evaluation e = passing(one);
    e.timings = {timing_of("s0", one.file == "a.cpp" ? 1.0 : 3.0)};
    return e;
  };
  const Result<ToolAnswer> answer = run(
      "compare_kernels",
      {{"op", "add"}, {"source_a", "x"}, {"source_b", "y"}, {"language_a", "cpp"}, {"language_b", "cpp"}});
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(asked.at(0).seed, asked.at(1).seed);
  EXPECT_NE(asked.at(0).seed, 0u);
  const json ratio = answer->structured["b_over_a"].at(0);
  EXPECT_DOUBLE_EQ(ratio["ratio"], 3);
  EXPECT_NEAR(ratio["low"], 2.7 / 1.1, 1e-9);
  EXPECT_NEAR(ratio["high"], 3.3 / 0.9, 1e-9);
  EXPECT_EQ(ratio["call"], "faster");
  EXPECT_NE(answer->text.find("b is 3x as fast as a"), std::string::npos);
}

TEST_F(Tools, SayWhyThereIsNoRatio) {
  const json arguments{{"op", "softmax"}, {"source_a", "x"}, {"source_b", "y"}};
  Result<ToolAnswer> answer = run("compare_kernels", arguments);
  ASSERT_TRUE(answer.ok());
  EXPECT_NE(answer->structured["why_no_ratio"].get<std::string>().find("this chip cannot time"),
            std::string::npos);
  judge = [](const Asked& one) {
    Evaluation e = passing(one);
    if (one.file == "b.py") e.verdict = Verdict::timeout;
    return e;
  };
  answer = run("compare_kernels", arguments);
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer->structured["why_no_ratio"], "only candidates that pass are timed");
}

TEST_F(Tools, ExplainEveryKindAndEveryVerdict) {
  for (const FindingHelp& help : finding_helps()) {
    const Result<ToolAnswer> answer = run("explain_verdict", {{"kind", help.kind}});
    ASSERT_TRUE(answer.ok()) << help.kind;
    EXPECT_NE(answer->text.find(help.cure), std::string::npos);
  }
  const Result<ToolAnswer> verdict = run("explain_verdict", {{"kind", "wrong_value"}});
  ASSERT_TRUE(verdict.ok());
  EXPECT_GE(verdict->structured["kinds"].size(), 4u);
  EXPECT_TRUE(run("explain_verdict", {{"kind", "pass"}}).ok());
}

TEST_F(Tools, ExplainNothingThatIsNotThere) {
  EXPECT_FALSE(run("explain_verdict", json::object()).ok());
  EXPECT_NE(run("explain_verdict", {{"kind", "value_mismach"}})
                .error()
                .message.find("did you mean 'value_mismatch'"),
            std::string::npos);
  EXPECT_FALSE(run("explain_verdict", {{"evaluation", "0123456789abcdef"}}).ok());
}

TEST_F(Tools, ForgetTheOldestEvaluations) {
  const std::string first = *bench->keep(Evaluation());
  EXPECT_TRUE(bench->kept(first).has_value());
  for (int i = 0; i < 64; ++i) ASSERT_TRUE(bench->keep(Evaluation()).ok());
  EXPECT_FALSE(bench->kept(first).has_value());
}

}  // namespace
}  // namespace kgb::serve
