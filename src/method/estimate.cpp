// SPDX-License-Identifier: Apache-2.0
// Estimates the cost of a recipe.
#include "method/estimate.hpp"

#include <algorithm>

#include "base/files.hpp"
#include "llm/usage.hpp"
#include "method/prompt.hpp"

namespace kgb::method {
namespace {

constexpr std::int64_t kFeedbackTokens = 500;  // of what the judge says; half a screen

}  // namespace

Estimate& Estimate::operator+=(const Estimate& other) {
  calls_low += other.calls_low;
  calls_high += other.calls_high;
  prompt_low += other.prompt_low;
  prompt_high += other.prompt_high;
  completion_high += other.completion_high;
  return *this;
}

Result<Estimate> estimate(const Recipe& recipe, const std::filesystem::path& prompts,
                          const Catalogue& catalogue, const Operator& op, const std::string& chip) {
  KGB_TRY(const PromptValues values, task_values(catalogue, op, chip));
  std::int64_t bytes = 0;
  for (const std::string& name : {recipe.system, recipe.prompt}) {
    KGB_TRY(const std::string text, read_text_file(prompts / (name + ".md")));
    KGB_TRY(const std::string filled, render(text, values, name));
    bytes += static_cast<std::int64_t>(filled.size());
  }
  const std::int64_t opening = bytes / llm::kBytesPerToken;
  const std::int64_t turn =
      recipe.max_tokens + kFeedbackTokens;  // one earlier try that stays in the conversation
  Estimate one;
  one.calls_low = 1;
  one.calls_high = recipe.rounds;
  one.prompt_low = opening;
  for (std::int64_t round = 0; round < recipe.rounds; ++round) {
    const std::int64_t kept = recipe.memory == Memory::all    ? round
                              : recipe.memory == Memory::last ? std::min<std::int64_t>(round, 1)
                                                              : 0;
    one.prompt_high += opening + kept * turn;
    one.completion_high += recipe.max_tokens;
  }
  Estimate all;
  for (int sample = 0; sample < recipe.samples; ++sample) all += one;
  return all;
}

}  // namespace kgb::method
