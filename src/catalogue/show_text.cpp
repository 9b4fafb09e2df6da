// SPDX-License-Identifier: Apache-2.0
// One operator in full, for people.
#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "catalogue/texts.hpp"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "model/launch_plan.hpp"

namespace kgb {
namespace {

constexpr std::size_t kShown = 8;  // workloads of a tier, unless all are asked for

// Words in the order of their first appearance, each once.
void add_word(std::vector<std::string>& words, std::string word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
}

struct Seen {
  std::vector<std::string> dtypes, domains;
  std::size_t rank_low = 99, rank_high = 0;
};

// What the fixed workloads hand to one tensor argument.
Seen seen_by(const Operator& op, const Entry& entry, const std::string& argument) {
  Seen seen;
  for (const Workload& workload : op.fixed) {
    if (workload.call.entry != entry.name) continue;
    for (const auto& [path, spec] : tensors_of(workload.call)) {
      if (path != argument && !path.starts_with(argument + "[")) continue;
      add_word(seen.dtypes, std::string(name_of(spec.dtype)));
      add_word(seen.domains, spec.domain.kind);
      seen.rank_low = std::min(seen.rank_low, spec.shape.size());
      seen.rank_high = std::max(seen.rank_high, spec.shape.size());
    }
  }
  return seen;
}

std::string tensor_note(const Operator& op, const Entry& entry, const Parameter& parameter) {
  const Seen seen = seen_by(op, entry, parameter.name);
  std::vector<std::string> parts;
  if (parameter.type.writes) parts.emplace_back("written");
  const auto pointers = entry.pointer_arrays.find(parameter.name);
  if (pointers != entry.pointer_arrays.end() && pointers->second)
    parts.emplace_back("int64 tensor of addresses");
  if (std::find(entry.host.begin(), entry.host.end(), parameter.name) != entry.host.end()) {
    parts.emplace_back("host may read it");
  }
  if (!seen.dtypes.empty()) {
    parts.push_back(join(seen.dtypes, " "));
    parts.push_back(seen.rank_low == seen.rank_high
                        ? fmt::format("rank {}", seen.rank_low)
                        : fmt::format("rank {}-{}", seen.rank_low, seen.rank_high));
    parts.push_back("values " + join(seen.domains, " "));
  }
  return join(parts, "; ");
}

std::string returns_text(const Schema& schema) {
  std::vector<std::string> parts;
  for (const SchemaReturn& one : schema.returns) {
    parts.push_back(one.name.empty() ? to_text(one.type) : to_text(one.type) + " " + one.name);
  }
  if (parts.empty()) return "nothing";
  return parts.size() == 1 ? parts[0] : "(" + join(parts, ", ") + ")";
}

std::string expression_text(const std::optional<Expression>& expression, std::string_view fallback) {
  if (!expression) return std::string(fallback);
  if (!expression->text().empty()) return expression->text();
  const Call none;
  CallScope scope(none);
  const auto value = expression->number(scope);
  return value.ok() ? fmt::format("{}", *value) : "?";
}

std::string error_text(const ErrorModel& model) {
  std::string text(name_of(model.error_class));
  const ErrorBound defaults;
  switch (model.error_class) {
    case ErrorClass::exact:
      return text + (model.signed_zero ? ", signs of zeros included" : "");
    case ErrorClass::random:
      return text + ": judged by statistics";
    case ErrorClass::metadata:
      return text + ": values are not compared";
    case ErrorClass::quantised:
      if (!model.off_by_one)
        return text + ": one code off beside a midpoint alone, as near as the reference tells";
      return fmt::format("{}: a share of {} may be one code off", text,
                         expression_text(model.off_by_one, ""));
    default:
      break;
  }
  const std::string ulps = expression_text(model.ulps, fmt::format("{}", defaults.ulps));
  text += fmt::format(", {} {} of the output, accumulator {}", ulps, ulps == "1" ? "rounding" : "roundings",
                      expression_text(model.accumulate, "f32 (f64 for f64)"));
  if (model.length) text += ", terms " + expression_text(model.length, "1");
  return text;
}

std::string entry_text(const Operator& op, const Entry& entry) {
  std::string out = fmt::format("\nentry  {}\n", signature_text(entry.name, entry.schema));
  std::size_t names = 7, types = 0;
  for (const Parameter& parameter : entry.schema.parameters) {
    names = std::max(names, parameter.name.size());
    types = std::max(types, to_text(parameter.type).size());
  }
  const auto line = [&](std::string_view name, std::string_view type, std::string_view note) {
    std::string text = fmt::format("  {:<{}}  {:<{}}  {}", name, names, type, types, note);
    out += text.substr(0, text.find_last_not_of(' ') + 1) + "\n";
  };
  for (const Parameter& parameter : entry.schema.parameters) {
    std::string note = parameter.type.is_tensor() ? tensor_note(op, entry, parameter) : "";
    if (parameter.fallback)
      note += (note.empty() ? "" : "; ") + ("default " + python_literal(*parameter.fallback));
    line(parameter.name, to_text(parameter.type), note);
  }
  out += fmt::format("  {:<{}}  {}\n", "returns", names, returns_text(entry.schema));
  out += fmt::format("  {:<{}}  {}{}\n", "judged", names,
                     entry.outputs.empty() ? "nothing" : join(entry.outputs, ", "),
                     entry.exact_strides ? "; strides must match" : "");
  const std::vector<std::string> lines = split_lines(trim(entry.baseline));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += fmt::format("  {:<{}}  {}\n", i == 0 ? "as in" : "", names, lines[i]);
  }
  if (!entry.vendor.empty())
    out += fmt::format("  {:<{}}  {}, with its handle in front\n", "as in", names, entry.vendor);
  if (!entry.vllm.empty()) out += fmt::format("  {:<{}}  {}\n", "as in", names, entry.vllm);
  if (!entry.forbid.empty()) out += fmt::format("  {:<{}}  {}\n", "not", names, join(entry.forbid, ", "));
  if (entry.reads_own)
    out += fmt::format(
        "  {:<{}}  {} bytes a call of what the candidate's kernels computed, integers or booleans\n", "reads",
        names, kReadBytes);
  if (entry.native) out += fmt::format("  {:<{}}  C++ candidates may implement it\n", "native", names);
  if (entry.error) out += fmt::format("  {:<{}}  {}\n", "error", names, error_text(*entry.error));
  if (entry.error && !entry.error->sensitive.empty() && entry.error->sensitive != op.error.sensitive)
    out += fmt::format("  {:<{}}  {}\n", "moves", names, entry.error->sensitive);
  return out;
}

std::string workloads_text(const Catalogue& catalogue, const Operator& op, const ShowOptions& options) {
  std::string out;
  for (const Tier tier : {Tier::smoke, Tier::full, Tier::published}) {
    std::vector<const Workload*> found;
    for (const Workload& workload : op.fixed) {
      if (workload.tier == tier) found.push_back(&workload);
    }
    if (found.empty()) continue;
    out += fmt::format("\n{} workloads: {}\n", name_of(tier), found.size());
    const std::size_t shown = options.all_workloads ? found.size() : std::min(kShown, found.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Workload& w = *found[i];
      out += fmt::format("  {:<5} {}: {}{}{}\n", w.call.workload, w.call.entry, describe(w.call),
                         w.edge ? "  (edge)" : "", w.flush ? "  (denormals flushed)" : "");
    }
    if (shown < found.size())
      out += fmt::format("  ...   {} more{}\n", found.size() - shown,
                         options.hint ? ": kgbench show " + op.name + " --all" : "");
  }
  int hidden = 0;
  for (const WorkloadTemplate& t : op.templates) hidden += t.hidden() ? t.count : 0;
  if (hidden > 0) out += fmt::format("\nhidden workloads: {}, drawn anew from a secret seed\n", hidden);
  if (hidden > 0 && options.reach) out += hidden_text(catalogue, op);
  return out;
}

}  // namespace

std::string show_text(const Catalogue& catalogue, const Operator& op, const ShowOptions& options) {
  std::string out = fmt::format("{}\n", op.name);
  const auto line = [&out](std::string_view key, const std::string& value) {
    if (!value.empty()) out += fmt::format("  {:<10} {}\n", key, value);
  };
  line("family", op.family);
  line("source", op.source);
  line("tags", join(op.tags, " "));
  line("no kernel", op.no_kernel);
  line("doubt", op.doubt);
  line("published", op.published);
  for (const std::string& thinned : op.thinned) line("thinned", thinned);
  line("tolerance", error_text(op.error));
  line("sensitive", op.error.sensitive);
  if (op.cost.flops) line("flops", expression_text(op.cost.flops, ""));
  if (op.cost.bytes) line("bytes", expression_text(op.cost.bytes, ""));
  for (const Entry& entry : op.entries) out += entry_text(op, entry);
  out += workloads_text(catalogue, op, options);
  if (options.hint) out += fmt::format("\nStart with: kgbench new {}\n", op.name);
  return out;
}

}  // namespace kgb
