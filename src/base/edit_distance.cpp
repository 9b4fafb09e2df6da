// SPDX-License-Identifier: Apache-2.0
// Edit distance and the suggestions made from it.
#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace kgb {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: the swap of neighbours looks two rows back.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::vector<std::string> close_matches(std::string_view word, std::span<const std::string> candidates,
                                       std::size_t limit) {
  const std::string wanted = to_lower(word.substr(0, 200));
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const std::string name = to_lower(candidate);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(wanted.size(), name.size()) / 3);
    std::size_t distance = edit_distance(wanted, name);
    // "softmax" for "aten::softmax": the whole word inside a name is near however long the rest is.
    if (wanted.size() >= 3 && name.find(wanted) != std::string::npos) distance = std::min(distance, allowed);
    if (distance <= allowed) near.emplace_back(distance, candidate);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::string> out;
  for (std::size_t i = 0; i < near.size() && i < limit; ++i) out.push_back(std::move(near[i].second));
  return out;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::vector<std::string> near = close_matches(word, candidates);
  if (near.empty()) return "";
  std::string out = " (did you mean ";
  for (std::size_t i = 0; i < near.size(); ++i) {
    if (i > 0) out += i + 1 == near.size() ? " or " : ", ";
    out += in_quotes(near[i]);
  }
  return out += "?)";
}

}  // namespace kgb
