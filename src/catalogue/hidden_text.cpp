// SPDX-License-Identifier: Apache-2.0
// What the hidden generators of an operator reach: ranks, types and layouts, and no shape.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"
#include "catalogue/layout.hpp"
#include "catalogue/texts.hpp"
#include "fmt/format.h"
#include "fmt/ranges.h"

namespace kgb {
namespace {

// Seeds that are drawn to see what comes up. Draws go through their alternatives in turn, so that a few show
// them all; the seeds of judgements are others.
constexpr std::uint64_t kLooks = 12;

struct Reach {
  std::set<std::size_t> ranks;
  std::set<DType> dtypes;
  std::vector<std::string> layouts;
  friend bool operator==(const Reach&, const Reach&) = default;
};
using ByArgument = std::vector<std::pair<std::string, Reach>>;

std::vector<std::string> layouts_of(const Operator& op, const Entry& entry, const std::string& argument) {
  std::set<std::string> found;
  for (const WorkloadTemplate& t : op.templates) {
    if (!t.hidden() || std::find(t.entries.begin(), t.entries.end(), entry.name) == t.entries.end()) continue;
    for (const ArgTemplate& arg : t.args) {
      if (arg.name != argument || !arg.tensor) continue;
      if (arg.tensor->strides) found.insert("strides of its own");
      if (arg.tensor->offset) found.insert("offset");
      if (!arg.tensor->like.empty() && arg.tensor->layouts.empty())
        found.insert("that of " + arg.tensor->like);
      found.insert(arg.tensor->layouts.begin(), arg.tensor->layouts.end());
    }
  }
  if (found.contains("any")) {
    found.erase("any");
    for (const std::string& name : layout_names()) found.insert(name);
  }
  std::vector<std::string> out;
  for (const std::string& name : layout_names())
    if (found.erase(name) > 0) out.push_back(name);
  out.insert(out.end(), found.begin(), found.end());
  return out;
}

ByArgument reach_of(const Catalogue& catalogue, const Operator& op, const Entry& entry) {
  std::map<std::string, Reach> seen;
  for (std::uint64_t seed = 1; seed <= kLooks; ++seed) {
    const auto drawn = catalogue.hidden(op, seed);
    if (!drawn.ok()) return {};
    for (const Workload& workload : *drawn) {
      if (workload.call.entry != entry.name) continue;
      for (const auto& [path, spec] : tensors_of(workload.call)) {
        Reach& reach = seen[path.substr(0, path.find('['))];
        reach.ranks.insert(spec.shape.size());
        reach.dtypes.insert(spec.dtype);
      }
    }
  }
  ByArgument out;
  for (const Parameter& parameter : entry.schema.parameters) {
    const auto found = seen.find(parameter.name);
    if (found == seen.end()) continue;
    found->second.layouts = layouts_of(op, entry, parameter.name);
    out.emplace_back(*found);
  }
  return out;
}

std::string reach_text(const Reach& reach) {
  std::vector<std::string> dtypes;
  for (const DType dtype : reach.dtypes) dtypes.emplace_back(name_of(dtype));
  std::string out = fmt::format("rank {}; {}", fmt::join(reach.ranks, " "), join(dtypes, " "));
  if (reach.layouts.size() >= static_cast<std::size_t>(kLayoutKinds)) return out + "; every layout";
  return out + (reach.layouts.empty() ? "" : "; " + join(reach.layouts, ", "));
}

}  // namespace

std::string hidden_text(const Catalogue& catalogue, const Operator& op) {
  std::string out;
  for (const Entry& entry : op.entries) {
    const ByArgument arguments = reach_of(catalogue, op, entry);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      std::string names = arguments[i].first;
      while (i + 1 < arguments.size() && arguments[i + 1].second == arguments[i].second)
        names += ", " + arguments[++i].first;
      out += fmt::format("  {}: {}: {}\n", entry.name, names, reach_text(arguments[i].second));
    }
  }
  return out;
}

}  // namespace kgb
