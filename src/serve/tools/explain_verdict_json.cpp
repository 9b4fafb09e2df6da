// SPDX-License-Identifier: Apache-2.0
// explain_verdict: what a kind of finding means and what to do, and the evidence of an evaluation.
#include <fmt/format.h>

#include "base/text.hpp"
#include "judge/feedback.hpp"
#include "judge/finding_help.hpp"
#include "serve/tools.hpp"

namespace kgb::serve {
namespace {

using nlohmann::json;

std::string_view verdict_name(std::string_view kind) {
  const auto verdict = verdict_of(kind);
  return verdict ? name_of(*verdict) : "advisory";
}

// The kinds that the word names: one, or all that lead to a verdict of that name.
std::vector<const FindingHelp*> helps_for(const std::string& word) {
  std::vector<const FindingHelp*> helps;
  if (const FindingHelp* help = finding_help(word)) return {help};
  for (const FindingHelp& help : finding_helps())
    if (verdict_name(help.kind) == word) helps.push_back(&help);
  return helps;
}

Error unknown_word(const std::string& word) {
  std::vector<std::string> known{"pass", "advisory"};
  for (const FindingHelp& help : finding_helps()) {
    known.emplace_back(help.kind);
    known.emplace_back(verdict_name(help.kind));
  }
  return user_error("no finding or verdict " + in_quotes(word) + did_you_mean(word, known) +
                    ". Give `kind` as a verdict's evidence names it, or a verdict such as wrong_value");
}

std::string text_of(const FindingHelp& help) {
  return fmt::format("{}\n  verdict        {}\n  seen           {}\n  what to do     {}\n", help.kind,
                     verdict_name(help.kind), help.seen, help.cure);
}

json json_of(const FindingHelp& help) {
  return {{"kind", help.kind},
          {"verdict", verdict_name(help.kind)},
          {"seen", help.seen},
          {"what_to_do", help.cure}};
}

Result<ToolAnswer> explain(const Workbench& bench, const json& arguments) {
  ToolAnswer answer;
  answer.structured = {{"kinds", json::array()}, {"evaluation", nullptr}};
  const std::string word = text_at(arguments, "kind"), name = text_at(arguments, "evaluation");
  if (word.empty() && name.empty())
    return user_error(
        "give `kind`, a finding or verdict, or `evaluation`, the name that a judging tool returned");
  if (word == "pass")
    answer.text = "pass: every workload that was asked for is right, and nothing forbidden was found\n";
  else if (!word.empty()) {
    const std::vector<const FindingHelp*> helps = helps_for(word);
    if (helps.empty()) return unknown_word(word);
    for (const FindingHelp* help : helps) {
      answer.text += text_of(*help);
      answer.structured["kinds"].push_back(json_of(*help));
    }
  }
  if (name.empty()) return answer;
  const std::optional<Evaluation> evaluation = bench.kept(name);
  if (!evaluation)
    return user_error(
        "no evaluation " + in_quotes(name) +
        ". Names are those that a judging tool of this server returned; the oldest are forgotten");
  answer.text += feedback_text(*evaluation);
  answer.structured["evaluation"] = feedback_json(*evaluation);
  return answer;
}

}  // namespace

Tool tool_explain_verdict(const std::shared_ptr<Workbench>& bench) {
  Tool tool;
  tool.name = "explain_verdict";
  tool.title = "Explain a verdict";
  tool.description =
      "What a kind of finding (value_mismatch) or a verdict (wrong_value) means, what was seen and what to "
      "do about it; with the name of an evaluation also its evidence.";
  tool.input_schema = object_schema(
      {{"kind", text_schema("a kind of finding, or a verdict")},
       {"evaluation", text_schema("the name that check_kernel, evaluate_kernel or compare_kernels gave")}},
      json::array());
  tool.run = [bench](const json& arguments, const CallContext&) { return explain(*bench, arguments); };
  return tool;
}

}  // namespace kgb::serve
