// SPDX-License-Identifier: Apache-2.0
// Theory of operation. A round is one call of the model and one proposal. Where the recipe has more rounds
// than one, a proposal is judged at once, and the first that passes is the answer; with one round there is
// nothing to decide, and the run judges the answer itself. After a failure the next round asks again: with
// the judge's evidence where the recipe shows it, else with the first prompt alone, which makes the rounds
// independent draws. Without a pass the answer is the proposal that got furthest, so that the run's verdict
// says the most.
#include "method/conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/files.hpp"
#include "method/prompt.hpp"
#include "method/reply_code.hpp"

namespace kgb::method {
namespace {

struct Templates {
  std::string system, prompt, feedback, no_code;
};

// How far a proposal got: gate reached, then workloads passed.
std::tuple<int, std::size_t> distance(const Evaluation& e) {
  const auto passed = std::count_if(e.workloads.begin(), e.workloads.end(),
                                    [](const WorkloadResult& w) { return w.verdict == Verdict::pass; });
  return {static_cast<int>(e.reached), static_cast<std::size_t>(passed)};
}

class Conversation : public Method {
 public:
  Conversation(Recipe recipe, Templates templates)
      : recipe_(std::move(recipe)), templates_(std::move(templates)) {}

  Result<Answer> solve(const Task& task) const override {
    KGB_TRY(const PromptValues values, task_values(task.catalogue, task.op, task.chip));
    KGB_TRY(const std::string system, render(templates_.system, values, recipe_.system));
    KGB_TRY(const std::string first, render(templates_.prompt, values, recipe_.prompt));
    const std::vector<llm::ChatMessage> opening{{"system", system}, {"user", first}};
    std::vector<llm::ChatMessage> later;
    Best best;  // so far
    for (int round = 0; round < recipe_.rounds; ++round) {
      const llm::Completion completion = ask(task, opening, later, round);
      if (completion.end != llm::CallEnd::ok) return without(task, completion, best);
      KGB_TRY(const Turn turn, judge(task, completion, values, round, best));
      if (turn.answer) return *turn.answer;
      remember(later, completion.reply.text, turn.said);
    }
    return best.answer();
  }

 private:
  // The proposal that got furthest so far.
  struct Best {
    std::string source;
    std::tuple<int, std::size_t> reached;
    [[nodiscard]] Answer answer() const {
      if (source.empty()) return {Answer::End::no_code, "", "no reply held a Python file"};
      return {Answer::End::answered, source, ""};
    }
  };
  struct Turn {
    std::optional<Answer> answer;
    std::string said;  // to the model, before the next round
  };

  llm::Completion ask(const Task& task, const std::vector<llm::ChatMessage>& opening,
                      const std::vector<llm::ChatMessage>& later, int round) const {
    llm::ChatRequest request;
    request.messages = opening;
    request.messages.insert(request.messages.end(), later.begin(), later.end());
    request.temperature = recipe_.temperature;
    // Independent draws: servers that take a seed give equal texts for equal ones.
    request.seed = task.seed + static_cast<std::uint64_t>(round);
    request.max_tokens = recipe_.max_tokens;
    return task.ask(request);
  }

  // The model gave no whole reply, which is nobody's answer.
  static Answer without(const Task& task, const llm::Completion& completion, const Best& best) {
    if (const std::string spent = task.spent(); !spent.empty()) {
      if (!best.source.empty()) return best.answer();  // what a budget paid for counts
      return {Answer::End::spent, "", spent};
    }
    return {Answer::End::given_up, "", completion.message, completion.fatal};
  }

  [[nodiscard]] Result<Turn> judge(const Task& task, const llm::Completion& completion,
                                   const PromptValues& values, int round, Best& best) const {
    const std::string source = code_of_reply(completion.reply.text);
    if (recipe_.rounds == 1) {
      best.source = source;
      return Turn{best.answer(), ""};
    }
    const std::string note = round == 0 ? "first" : fmt::format("{} {}", recipe_.name, round);
    PromptValues now = values;
    if (source.empty()) {
      now["finish"] = completion.reply.finish;
      KGB_TRY(const std::string said, said_of(templates_.no_code, now, recipe_.no_code));
      return Turn{std::nullopt, said};
    }
    KGB_TRY(const Feedback feedback, task.evaluate(source, note));
    const auto reached = distance(feedback.evaluation);
    if (best.source.empty() || feedback.passed() || reached >= best.reached) best = {source, reached};
    if (feedback.passed()) return Turn{best.answer(), ""};
    if (feedback.evaluation.verdict == Verdict::infra)
      return Turn{Answer{Answer::End::given_up, "", "the judge failed: " + feedback.text, false}, ""};
    now["feedback"] = feedback.text;
    KGB_TRY(const std::string said, said_of(templates_.feedback, now, recipe_.feedback));
    return Turn{std::nullopt, said};
  }

  [[nodiscard]] Result<std::string> said_of(const std::string& text, const PromptValues& values,
                                            const std::string& name) const {
    if (recipe_.shows == Shows::nothing) return std::string();
    return render(text, values, name);
  }

  void remember(std::vector<llm::ChatMessage>& later, const std::string& reply,
                const std::string& said) const {
    if (recipe_.memory == Memory::none || said.empty()) return;
    if (recipe_.memory == Memory::last) later.clear();
    later.push_back({"assistant", reply});
    later.push_back({"user", said});
  }

  Recipe recipe_;
  Templates templates_;
};

}  // namespace

Result<std::unique_ptr<Method>> make_conversation(const Recipe& recipe,
                                                  const std::filesystem::path& prompts) {
  Templates templates;
  const std::pair<std::string*, const std::string*> wanted[] = {{&templates.system, &recipe.system},
                                                                {&templates.prompt, &recipe.prompt},
                                                                {&templates.feedback, &recipe.feedback},
                                                                {&templates.no_code, &recipe.no_code}};
  for (const auto& [text, name] : wanted) {
    if (name->empty()) continue;
    KGB_TRY(*text, read_text_file(prompts / (*name + ".md")));
  }
  return std::unique_ptr<Method>(new Conversation(recipe, std::move(templates)));
}

}  // namespace kgb::method
