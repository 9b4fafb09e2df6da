// SPDX-License-Identifier: Apache-2.0
// Gathers seeds, hashes and shapes of hidden workloads and looks for them.
#include "judge/secrets.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "model/generate.hpp"

namespace kgb {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr std::size_t kShortestWord = 6;   // shorter ones are in every text
constexpr std::int64_t kTellingSize = 16;  // a list of smaller numbers alone says nothing

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// A list of numbers in a text, however it is written: "[4,311]", "(4, 311)", "4x311". `bracketed`: something
// opens right before it.
struct NumberList {
  Numbers numbers;
  bool bracketed = false;
};

std::vector<NumberList> number_lists(std::string_view text) {
  std::vector<NumberList> lists;
  bool joined = false;  // only a separator since the last number
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      joined = joined && (text[at] == ',' || text[at] == ' ' || text[at] == 'x' || text[at] == '*');
      ++at;
      continue;
    }
    const std::size_t first = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    const std::int64_t number = parse_int(text.substr(first, at - first)).value_or(-1);
    if (!joined) lists.push_back({{}, first > 0 && (text[first - 1] == '[' || text[first - 1] == '(')});
    lists.back().numbers.push_back(number);
    joined = true;
  }
  return lists;
}

std::set<Numbers> shapes_in(std::string_view description) {
  std::set<Numbers> shapes;
  for (NumberList& list : number_lists(description)) {
    const bool telling = std::any_of(list.numbers.begin(), list.numbers.end(),
                                     [](std::int64_t n) { return n >= kTellingSize; });
    if (list.bracketed && telling) shapes.insert(std::move(list.numbers));
  }
  return shapes;
}

bool holds(const NumberList& list, const Numbers& shape) {
  if (shape.size() == 1) return list.bracketed && list.numbers == shape;
  return std::search(list.numbers.begin(), list.numbers.end(), shape.begin(), shape.end()) !=
         list.numbers.end();
}

}  // namespace

Secrets::Secrets(const Evaluation& evaluation) {
  const auto add = [this](const std::string& word) {
    if (word.size() >= kShortestWord) words_.push_back(to_lower(word));
  };
  add(evaluation.seed);
  if (const auto seed = seed_from_text(evaluation.seed)) {
    add(std::to_string(*seed));
    add(std::to_string(*seed >> 1));
  }
  std::set<Numbers> open;
  for (const WorkloadResult& w : evaluation.workloads) {
    std::set<Numbers> shapes = shapes_in(w.description);
    if (is_public_workload(evaluation, w.id)) {
      open.merge(shapes);
      continue;
    }
    shapes_.merge(shapes);
    add(w.description);
    add(w.plan_hash.substr(0, 12));
  }
  for (const Numbers& shape : open) shapes_.erase(shape);
}

bool Secrets::in(std::string_view text) const {
  const std::string lower = to_lower(text);
  for (const std::string& word : words_)
    if (lower.find(word) != std::string::npos) return true;
  if (shapes_.empty()) return false;
  for (const NumberList& list : number_lists(text))
    for (const Numbers& shape : shapes_)
      if (holds(list, shape)) return true;
  return false;
}

}  // namespace kgb
