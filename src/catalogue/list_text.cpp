// SPDX-License-Identifier: Apache-2.0
// The table of operators.
#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "catalogue/texts.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

Status check_word(std::string_view what, const std::string& word, const std::set<std::string>& known) {
  if (word.empty() || known.contains(word)) return ok_status();
  const std::vector<std::string> names(known.begin(), known.end());
  return user_error(
      fmt::format("no operator has the {} {}{}", what, in_quotes(word), did_you_mean(word, names)));
}

std::size_t count_tier(const Operator& op, Tier tier) {
  return static_cast<std::size_t>(
      std::count_if(op.fixed.begin(), op.fixed.end(), [tier](const Workload& w) { return w.tier == tier; }));
}

int hidden_count(const Operator& op) {
  int count = 0;
  for (const WorkloadTemplate& t : op.templates) count += t.hidden() ? t.count : 0;
  return count;
}

using Row = std::array<std::string, 7>;

std::string aligned(const std::vector<Row>& rows) {
  std::array<std::size_t, 7> width{};
  for (const Row& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const bool number = c >= 2 && c <= 5;
      line += number ? fmt::format("{:>{}}  ", row[c], width[c]) : fmt::format("{:<{}}  ", row[c], width[c]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace

Result<std::vector<const Operator*>> listed(const Catalogue& catalogue, const ListFilter& filter) {
  std::set<std::string> families, tags;
  for (const Operator& op : catalogue.operators()) {
    families.insert(op.family);
    tags.insert(op.tags.begin(), op.tags.end());
  }
  KGB_CHECK(check_word("family", filter.family, families));
  KGB_CHECK(check_word("tag", filter.tag, tags));
  KGB_TRY(const std::vector<const Operator*> all,
          catalogue.suite(filter.suite.empty() ? "ms" : filter.suite));
  std::vector<const Operator*> out;
  for (const Operator* op : all) {
    const bool named =
        filter.word.empty() || to_lower(op->name).find(to_lower(filter.word)) != std::string::npos;
    const bool in_family = filter.family.empty() || op->family == filter.family;
    if (named && in_family && (filter.tag.empty() || op->tagged(filter.tag))) out.push_back(op);
  }
  return out;
}

Result<std::string> list_text(const Catalogue& catalogue, const ListFilter& filter) {
  KGB_TRY(const std::vector<const Operator*> operators, listed(catalogue, filter));
  std::vector<Row> rows{{"operator", "family", "entries", "smoke", "full", "hidden", "tags"}};
  std::size_t workloads = 0;
  for (const Operator* op : operators) {
    const std::size_t smoke = count_tier(*op, Tier::smoke), full = count_tier(*op, Tier::full);
    const auto hidden = static_cast<std::size_t>(hidden_count(*op));
    workloads += smoke + full + hidden;
    rows.push_back({op->name, op->family, fmt::format("{}", op->entries.size()), fmt::format("{}", smoke),
                    fmt::format("{}", full), fmt::format("{}", hidden), join(op->tags, " ")});
  }
  if (operators.empty()) return std::string("No operator passes these filters.\n");
  return aligned(rows) + fmt::format("{} operator{}, {} workloads.  More: kgbench show OP\n",
                                     operators.size(), operators.size() == 1 ? "" : "s", workloads);
}

}  // namespace kgb
