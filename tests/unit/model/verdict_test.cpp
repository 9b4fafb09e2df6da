// SPDX-License-Identifier: Apache-2.0
// Verdicts of findings, their precedence, and the stored form of evaluations.
#include "model/verdict.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <regex>

namespace kgb {
namespace {

Finding finding(const char* kind, Gate gate) {
  Finding f;
  f.kind = kind;
  f.gate = gate;
  return f;
}

TEST(Verdict, NamesGoBothWays) {
  for (int v = 0; v <= static_cast<int>(Verdict::infra); ++v) {
    const auto verdict = static_cast<Verdict>(v);
    EXPECT_EQ(verdict_named(name_of(verdict)), verdict);
  }
  EXPECT_FALSE(verdict_named("passed"));
  EXPECT_EQ(gate_named("static"), Gate::static_);
}

TEST(Verdict, AQuickPassIsNeverReadAsACarefulOne) {
  Evaluation e;
  e.verdict = Verdict::pass;
  EXPECT_EQ(label_of(e), "pass");
  e.profile = Profile::quick;
  EXPECT_EQ(label_of(e), "quick pass");
  EXPECT_EQ(label_of(evaluation_from_json(to_json(e))), "quick pass");
  e.verdict = Verdict::wrong_value;
  EXPECT_EQ(label_of(e), "wrong_value") << "what is wrong is wrong";
  nlohmann::json stored = to_json(e);
  stored.erase("profile");
  EXPECT_EQ(evaluation_from_json(stored).profile, Profile::careful) << "of before there were profiles";
  stored["profile"] = "glance";
  EXPECT_EQ(evaluation_from_json(stored).profile, Profile::quick) << "of a later version";
  EXPECT_FALSE(profile_named("fast"));
}

TEST(Verdict, TheTableInCodeIsTheOneInTheContract) {
  std::ifstream file(std::string(KGB_SOURCE_DIR) + "/docs/contracts/findings.md");
  ASSERT_TRUE(file.good());
  const std::regex row("^\\| `(\\w+)` \\| (\\w+) \\|.*");
  std::string line;
  int rank = 0;
  while (std::getline(file, line)) {
    std::smatch match;
    if (!std::regex_match(line, match, row)) continue;
    EXPECT_EQ(finding_rank(match[1].str()), rank++) << match[1];
    const auto verdict = verdict_of(match[1].str());
    EXPECT_EQ(verdict ? std::string(name_of(*verdict)) : "advisory", match[2]) << match[1];
  }
  EXPECT_GT(rank, 40);
}

TEST(Verdict, TheOrderOfTheTableDecides) {
  const std::vector<Finding> findings{
      finding("not_random", Gate::correct), finding("value_mismatch", Gate::correct),
      finding("input_mutated", Gate::correct), finding("too_fast", Gate::fast),
      finding("target_failure", Gate::compile)};
  EXPECT_EQ(deciding_finding(findings), &findings[2]);
  EXPECT_EQ(deciding_finding({}), nullptr);
  EXPECT_EQ(deciding_finding(std::span(findings).last(1)), nullptr);  // advice is no verdict
  const std::vector<Finding> host{finding("value_mismatch", Gate::correct),
                                  finding("torch_compute", Gate::honest)};
  EXPECT_EQ(deciding_finding(host), &host[1]);  // what host code did is the reason for what came out
}

TEST(Verdict, AnUnknownKindIsTheJudgesFault) {
  EXPECT_EQ(verdict_of("no_such_kind"), Verdict::infra);
}

TEST(Evaluation, SurvivesTheStore) {
  Evaluation e;
  e.op = "aten::add";
  e.verdict = Verdict::wrong_value;
  e.reached = Gate::correct;
  e.findings.push_back(finding("value_mismatch", Gate::correct));
  e.findings[0].details = {{"index", "[2]"}};
  WorkloadResult workload;
  workload.id = "h3";
  workload.worst_ratio = std::numeric_limits<double>::infinity();
  e.workloads.push_back(workload);
  e.targets.push_back({"sm_90", true, "", 64, 1024, 0, 1});
  Timing timing;
  timing.ratio = 1.5;
  timing.call = "faster";
  timing.conditions.emplace();
  timing.conditions->samples = 3;
  timing.conditions->sm_mhz = Sampled{1980, 1900, 1800, 1980};
  timing.conditions->throttled = std::vector<std::string>{"power_cap"};
  timing.conditions->foreign = std::vector<ForeignProcess>{{7, 100, 30.5}, {8, std::nullopt, std::nullopt}};
  timing.conditions->unknown = {"the power: not permitted"};
  timing.energy = Energy{12.5, ""};
  timing.roof = RoofShare{1e-6, 0.5, "memory", "bandwidth", 4e12, true, true};
  e.timings.push_back(timing);
  e.stage_ms["author"] = 12.5;
  const nlohmann::json stored = nlohmann::json::parse(to_json(e).dump());
  const Evaluation back = evaluation_from_json(stored);
  EXPECT_EQ(to_json(back), stored);
  EXPECT_EQ(back.verdict, Verdict::wrong_value);
  EXPECT_EQ(back.workloads[0].worst_ratio, std::numeric_limits<double>::infinity());
  EXPECT_EQ(back.timings[0].ratio, 1.5);
  EXPECT_FALSE(back.timings[0].candidate);
  EXPECT_EQ(back.timings[0].conditions->sm_mhz->least, 1800);
  EXPECT_FALSE(back.timings[0].conditions->memory_mhz);
  EXPECT_EQ(back.timings[0].conditions->foreign->at(0).sm_percent, 30.5);
  EXPECT_EQ(back.timings[0].energy->call_mj, 12.5);
  EXPECT_EQ(back.timings[0].roof->share, 0.5);
}

TEST(Evaluation, ConditionsOfTheWrongFormAreUnknown) {
  const nlohmann::json stored = nlohmann::json::parse(
      R"({"timings": [{"conditions": 3, "energy": [], "roof": "x"},
                      {"conditions": {"throttled": 1, "foreign": [2], "sm_mhz": 4}}]})");
  const Evaluation back = evaluation_from_json(stored);
  ASSERT_EQ(back.timings.size(), 2u);
  EXPECT_FALSE(back.timings[0].conditions->foreign || back.timings[0].energy->call_mj);
  EXPECT_FALSE(back.timings[1].conditions->throttled || back.timings[1].conditions->sm_mhz);
  EXPECT_TRUE(back.timings[1].conditions->foreign->empty());
}

TEST(Evaluation, WhatCannotBeReadIsNeverAPass) {
  for (const char* text : {"null", "[]", "{}", R"({"verdict": 3})", R"({"verdict": "great"})"})
    EXPECT_EQ(evaluation_from_json(nlohmann::json::parse(text)).verdict, Verdict::infra) << text;
}

}  // namespace
}  // namespace kgb
