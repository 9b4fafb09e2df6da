// SPDX-License-Identifier: Apache-2.0
// Mutants as JSON lines, results as one document.
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "campaign/mutation.hpp"

namespace kgb {
namespace {

using nlohmann::json;

json result_json(const MutantResult& r) {
  json out = {{"id", r.mutant.id},
              {"kind", r.mutant.kind},
              {"line", r.mutant.line},
              {"before", r.mutant.before},
              {"after", r.mutant.after},
              {"verdict", name_of(r.verdict)},
              {"published", name_of(r.published)},
              {"finding", r.finding}};
  if (!r.equivalent.empty()) out["equivalent"] = r.equivalent;
  return out;
}

}  // namespace

Result<std::vector<Mutant>> mutants_from_json_lines(std::string_view text) {
  std::vector<Mutant> mutants;
  for (const std::string& line : split(text, '\n')) {
    if (trim(line).empty()) continue;
    const json row = json::parse(line, nullptr, false);
    if (!row.is_object()) return internal_error("kgbench.mutate wrote a line that is no JSON object");
    try {
      mutants.push_back({row.at("id"), row.at("kind"), row.at("line"), row.at("before"), row.at("after"),
                         row.at("source")});
    } catch (const json::exception& error) {
      return internal_error(std::string("kgbench.mutate wrote an odd line: ") + error.what());
    }
  }
  return mutants;
}

json mutation_json(const std::vector<MutationRow>& rows) {
  json operators = json::array();
  for (const MutationRow& row : rows) {
    json results = json::array();
    for (const MutantResult& r : row.results) results.push_back(result_json(r));
    operators.push_back({{"op", row.op},
                         {"judged", row.judged()},
                         {"killed", row.killed()},
                         {"killed_published", row.killed_published()},
                         {"mutants", results}});
  }
  return {{"schema", 1}, {"operators", operators}};
}

}  // namespace kgb
