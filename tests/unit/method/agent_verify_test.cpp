// SPDX-License-Identifier: Apache-2.0
// What `kgbench verify` answers an agent, and what it does not.
#include "method/agent_verify.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

namespace kgb::method {
namespace {

using Json = nlohmann::json;

struct Judging {
  explicit Judging(VerifyLimits limits) : verifier(task, limits) {
    evaluation.verdict = Verdict::wrong_value;
    evaluation.seed = "5ec2e7";
    Timing known, secret;
    known.workload = "s1";
    known.candidate = 2e-6, known.baseline = 8e-6, known.ratio = 4;
    secret = known;
    secret.workload = "h3";
    secret.ratio = 1;
    evaluation.timings = {known, secret};
    task.evaluate = [this](const std::string& source, const std::string& note) -> Result<Feedback> {
      sources.push_back(source + "/" + note);
      if (on_judge) on_judge();
      if (broken) return host_error("the disk is full");
      return Feedback{evaluation, "wrong_value: an element is off"};
    };
  }
  Json ask(const std::string& source = "x") {
    const auto answer = verifier.serve(Json{{"source", source}}.dump());
    status = answer.status;
    return Json::parse(answer.body);
  }

  const Catalogue catalogue;
  const Operator op;
  const std::atomic<bool> stop{false};
  Task task{catalogue, op, "cpu", 0, 0, {}, stop, {}, {}, {}, {}};
  Evaluation evaluation;
  bool broken = false;
  std::function<void()> on_judge;
  std::vector<std::string> sources;
  Verifier verifier;
  int status = 0;
};
VerifyLimits limits(Verify mode = Verify::correct, int most = 100) {
  return {mode, most, Millis(0)};
}

TEST(Verify, TellsVerdictAndTextAndNothingElseOfTheEvaluation) {
  Judging at(limits());
  const Json answer = at.ask("def f(): pass");
  EXPECT_EQ(answer, (Json{{"verdict", "wrong_value"},
                          {"passed", false},
                          {"text", "wrong_value: an element is off"},
                          {"left", 99}}));
  EXPECT_EQ(at.sources, (std::vector<std::string>{"def f(): pass/verify 1"}));
}

TEST(Verify, TimesOfHiddenWorkloadsAreInTheMeanAlone) {
  Judging at(limits(Verify::timed));
  const Json times = at.ask()["times"];
  ASSERT_EQ(times["workloads"].size(), 1u);
  EXPECT_EQ(times["workloads"][0]["workload"], "s1");
  EXPECT_EQ(times["workloads"][0]["speedup"], 4);
  EXPECT_DOUBLE_EQ(times["speedup"], 2);
}

TEST(Verify, EndsWithItsCalls) {
  Judging at(limits(Verify::correct, 2));
  EXPECT_EQ(at.ask()["left"], 1);
  EXPECT_EQ(at.ask()["left"], 0);
  EXPECT_EQ(at.ask()["error"], "all 2 calls of kgbench verify are used up");
  EXPECT_EQ(at.status, 429);
  EXPECT_EQ(at.sources.size(), 2u);
}

TEST(Verify, TakesOneFileAtATime) {
  Judging at(limits());
  Json second;
  at.on_judge = [&] { std::thread([&] { second = at.ask(); }).join(); };
  at.ask();
  EXPECT_EQ(second["error"], "one file at a time: wait for the answer to the last");
  EXPECT_EQ(at.verifier.count(), 1);
}

TEST(Verify, IsNotThereWhereItIsOffOrOver) {
  Judging off(limits(Verify::off)), over(limits());
  EXPECT_TRUE(off.ask().contains("error"));
  over.verifier.close();
  EXPECT_EQ(over.ask()["error"], "the time is over");
  EXPECT_TRUE(off.sources.empty() && over.sources.empty());
}

TEST(Verify, ARequestOfAnotherFormIsRefusedUncounted) {
  Judging at(limits());
  for (const char* body : {"", "[]", "{", "{}", R"({"source":1})", "\xff"})
    EXPECT_EQ(at.verifier.serve(body).status, 400) << body;
  EXPECT_EQ(at.verifier.count(), 0);
}

TEST(Verify, AFaultOfTheHostIsKeptForTheRunAndNotToldInFull) {
  Judging at(limits());
  at.broken = true;
  EXPECT_EQ(at.ask()["error"], "the judge failed");
  ASSERT_TRUE(at.verifier.error());
  EXPECT_EQ(at.verifier.error()->message, "the disk is full");
}

TEST(Verify, ItsModesHaveNames) {
  for (const Verify mode : {Verify::off, Verify::correct, Verify::timed})
    EXPECT_EQ(verify_named(name_of(mode)), mode);
  EXPECT_FALSE(verify_named("fast"));
}

TEST(VerifyClient, IsAProgramOfTheInterpreter) {
  EXPECT_TRUE(verify_client("/opt/python").starts_with("#!/opt/python\n# SPDX"));
  EXPECT_TRUE(verify_client("python3").starts_with("#!/usr/bin/env python3\n"));
}

}  // namespace
}  // namespace kgb::method
