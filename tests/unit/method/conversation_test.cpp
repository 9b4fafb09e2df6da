// SPDX-License-Identifier: Apache-2.0
// Conversations with a scripted model and a scripted judge: what is asked, when it ends, and what the answer
// is.
#include "method/conversation.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "method/prompt.hpp"

namespace kgb::method {
namespace {

const std::filesystem::path kHome = KGB_SOURCE_DIR;

const Catalogue& shipped_cards() {
  static const Catalogue loaded = Catalogue::load(kHome / "catalogue").value();
  return loaded;
}

std::string fenced(const std::string& name) {
  return "```python\ndef " + name + "():\n    pass\n```\n";
}
std::string file(const std::string& name) {
  return "def " + name + "():\n    pass\n";
}

llm::Completion said(const std::string& text) {
  llm::Completion completion;
  completion.end = llm::CallEnd::ok;
  completion.reply.text = text;
  completion.reply.finish = "stop";
  return completion;
}

llm::Completion failed(bool fatal) {
  llm::Completion completion;
  completion.end = llm::CallEnd::failed;
  completion.message = "401: the key is wrong";
  completion.fatal = fatal;
  return completion;
}

Feedback judged(Verdict verdict, Gate reached, std::size_t passed = 0) {
  Feedback feedback;
  feedback.evaluation.verdict = verdict;
  feedback.evaluation.reached = reached;
  feedback.evaluation.workloads.resize(passed);  // verdict pass by default
  feedback.text = "the judge says " + std::string(name_of(verdict));
  return feedback;
}

class ConversationTest : public ::testing::Test {
 protected:
  Answer solve(const std::string& recipe) {
    const Recipe loaded = load_recipe(kHome / "catalogue" / "methods", recipe).value();
    const std::unique_ptr<Method> method = make_conversation(loaded, kHome / "catalogue" / "prompts").value();
    Task task{shipped_cards(),
              *shipped_cards().find("aten::softmax").value(),
              "cpu",
              0,
              7,
              {},
              stop_,
              {},
              {},
              {},
              {}};
    task.ask = [this](const llm::ChatRequest& request) {
      requests_.push_back(request);
      if (replies_.empty()) return failed(false);
      llm::Completion next = replies_.front();
      replies_.pop_front();
      return next;
    };
    task.evaluate = [this](const std::string& source, const std::string&) -> Result<Feedback> {
      judged_.push_back(source);
      Feedback next = verdicts_.front();
      verdicts_.pop_front();
      return next;
    };
    task.spent = [this] { return spent_; };
    return method->solve(task).value();
  }
  std::atomic<bool> stop_{false};
  std::string spent_;
  std::deque<llm::Completion> replies_;
  std::deque<Feedback> verdicts_;
  std::vector<llm::ChatRequest> requests_;
  std::vector<std::string> judged_;
};

TEST_F(ConversationTest, OneShotAsksOnceAndLeavesJudgingToTheRun) {
  replies_ = {said(fenced("softmax"))};
  const Answer answer = solve("one-shot");
  EXPECT_EQ(answer.end, Answer::End::answered);
  EXPECT_EQ(answer.source, file("softmax"));
  ASSERT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_[0].temperature, 0.0);
  EXPECT_TRUE(judged_.empty());
}

TEST_F(ConversationTest, ThePromptHasTheEntriesTheCardTheChipAndNoAnswer) {
  replies_ = {said(fenced("softmax"))};
  (void)solve("one-shot");
  const std::string& prompt = requests_.at(0).messages.at(1).content;
  for (const char* needed : {"aten::softmax", "`softmax`", "NVIDIA H200", "warp size: 32", "def softmax("})
    EXPECT_NE(prompt.find(needed), std::string::npos) << needed;
  for (const char* forbidden : {"{{", "expert.py", "--all", "tl.exp"})
    EXPECT_EQ(prompt.find(forbidden), std::string::npos) << forbidden;
}

TEST_F(ConversationTest, AReplyWithoutCodeIsNoCandidate) {
  replies_ = {said("I cannot.")};
  EXPECT_EQ(solve("one-shot").end, Answer::End::no_code);
}

TEST_F(ConversationTest, RepairShowsTheJudgesWordAndStopsAtTheFirstPass) {
  replies_ = {said(fenced("a")), said(fenced("b")), said(fenced("c"))};
  verdicts_ = {judged(Verdict::wrong_value, Gate::correct), judged(Verdict::pass, Gate::fast)};
  const Answer answer = solve("repair");
  EXPECT_EQ(answer.source, file("b"));
  ASSERT_EQ(requests_.size(), 2U);
  const std::vector<llm::ChatMessage>& second = requests_[1].messages;
  ASSERT_EQ(second.size(), 4U);
  EXPECT_EQ(second[2].role, "assistant");
  EXPECT_NE(second[3].content.find("the judge says wrong_value"), std::string::npos);
}

TEST_F(ConversationTest, RepairTellsAModelThatItsReplyHeldNoCode) {
  replies_ = {said("Sorry."), said(fenced("b"))};
  verdicts_ = {judged(Verdict::pass, Gate::fast)};
  EXPECT_EQ(solve("repair").source, file("b"));
  EXPECT_NE(requests_.at(1).messages.at(3).content.find("held no"), std::string::npos);
}

TEST_F(ConversationTest, IndependentRoundsSeeNothingOfEachOtherAndDrawWithOtherSeeds) {
  replies_ = {said(fenced("a")), said(fenced("b"))};
  verdicts_ = {judged(Verdict::wrong_value, Gate::correct), judged(Verdict::pass, Gate::fast)};
  EXPECT_EQ(solve("union-of-k").source, file("b"));
  EXPECT_EQ(requests_.at(1).messages.size(), 2U);
  EXPECT_NE(requests_[0].seed, requests_[1].seed);
}

TEST_F(ConversationTest, WithoutAPassTheAnswerIsTheProposalThatGotFurthest) {
  replies_ = {said(fenced("a")), said(fenced("b")), said(fenced("c")), said("no"), said(fenced("e"))};
  verdicts_ = {judged(Verdict::wrong_value, Gate::correct, 2), judged(Verdict::wrong_value, Gate::correct, 5),
               judged(Verdict::compile_error, Gate::static_), judged(Verdict::compile_error, Gate::static_)};
  const Answer answer = solve("repair");
  EXPECT_EQ(answer.end, Answer::End::answered);
  EXPECT_EQ(answer.source, file("b"));
}

TEST_F(ConversationTest, AServerThatFailsIsNobodysAnswerAndAWrongKeyEndsTheRun) {
  replies_ = {failed(false)};
  EXPECT_EQ(solve("one-shot").end, Answer::End::given_up);
  replies_ = {failed(true)};
  const Answer answer = solve("one-shot");
  EXPECT_TRUE(answer.fatal);
  EXPECT_EQ(answer.why, "401: the key is wrong");
}

TEST_F(ConversationTest, AJudgeThatFailsIsNotTheModelsFault) {
  replies_ = {said(fenced("a"))};
  verdicts_ = {judged(Verdict::infra, Gate::static_)};
  EXPECT_EQ(solve("repair").end, Answer::End::given_up);
}

TEST_F(ConversationTest, ASpentBudgetKeepsWhatItPaidFor) {
  spent_ = "the run's budget of 10 tokens";
  replies_ = {failed(false)};
  EXPECT_EQ(solve("repair").end, Answer::End::spent);
  replies_ = {said(fenced("a")), failed(false)};
  verdicts_ = {judged(Verdict::wrong_value, Gate::correct)};
  EXPECT_EQ(solve("repair").source, file("a"));
}

TEST(Prompt, ANameWithoutAValueIsToldAndNothingIsEscaped) {
  EXPECT_EQ(render("a {{x}} b", {{"x", "<&>\"{{y}}"}}, "p").value(), "a <&>\"{{y}} b");
  const Result<std::string> missing = render("a {{y}} b", {{"x", ""}}, "kernel.md");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("kernel.md"), std::string::npos);
  EXPECT_NE(missing.error().message.find("{{y}}"), std::string::npos);
}

TEST(Prompt, SectionsAreForValuesThatAreThere) {
  EXPECT_EQ(render("{{#x}}[{{x}}]{{/x}}", {{"x", ""}}, "p").value(), "");
  EXPECT_EQ(render("{{#x}}[{{x}}]{{/x}}", {{"x", "1"}}, "p").value(), "[1]");
}

}  // namespace
}  // namespace kgb::method
