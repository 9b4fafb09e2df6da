// SPDX-License-Identifier: Apache-2.0
// Odometer over the alternatives of a template, and seeded draws of hidden ones.
#include "catalogue/expand.hpp"

#include <algorithm>
#include <unordered_map>

#include "catalogue/draw.hpp"
#include "catalogue/resolver.hpp"

namespace kgb {
namespace {

// One independent direction of a grid.
struct Axis {
  std::vector<const ZipColumn*> columns;  // zip: the rows
  const ArgTemplate* arg = nullptr;       // else one argument
  std::size_t Choice::* field = nullptr;
  std::size_t size = 1;
};

void add_axis(const ArgTemplate& arg, std::size_t Choice::* field, std::size_t size,
              std::vector<Axis>& axes) {
  if (size > 1) axes.push_back({{}, &arg, field, size});
}

void add_axes(const ArgTemplate& arg, std::vector<Axis>& axes) {
  add_axis(arg, &Choice::scalar, arg.scalars.size(), axes);
  if (!arg.tensor) return;
  add_axis(arg, &Choice::shape, arg.tensor->shapes.size(), axes);
  add_axis(arg, &Choice::list, arg.tensor->lists.size(), axes);
  add_axis(arg, &Choice::dtype, arg.tensor->dtypes.size(), axes);
  add_axis(arg, &Choice::layout, arg.tensor->layouts.size(), axes);
  add_axis(arg, &Choice::domain, arg.tensor->domains.size(), axes);
}

// What a template says about the arguments of one entry.
class Grid {
 public:
  Grid(const WorkloadTemplate& t, const Entry& entry) {
    for (const Parameter& parameter : entry.schema.parameters) {
      for (const ArgTemplate& arg : t.args) {
        if (arg.name == parameter.name) add(arg);
      }
    }
    for (const ArgTemplate& variable : t.variables) add(variable);
    for (const ZipTemplate& zip : t.zips) {
      Axis axis;
      axis.size = zip.rows;
      for (const ZipColumn& column : zip.columns) axis.columns.push_back(&column);
      axes_.push_back(std::move(axis));
    }
    for (const Axis& axis : axes_) {
      if (__builtin_mul_overflow(points_, axis.size, &points_)) points_ = kMaxGrid + 1;
      points_ = std::min(points_, kMaxGrid + 1);
    }
  }

  [[nodiscard]] std::size_t points() const { return points_; }

  // The last axis turns fastest.
  [[nodiscard]] std::map<std::string, Choice> at(std::size_t point) const {
    std::vector<std::size_t> indices(axes_.size());
    for (std::size_t i = axes_.size(); i-- > 0;) {
      indices[i] = point % axes_[i].size;
      point /= axes_[i].size;
    }
    return choices(indices);
  }

  [[nodiscard]] std::map<std::string, Choice> drawn(Draw& draw) const {
    std::vector<std::size_t> indices;
    for (const Axis& axis : axes_) indices.push_back(drawn(axis, draw));
    return choices(indices);
  }

 private:
  // Types and layouts are counted by name, so that one template goes on where another left off.
  static std::size_t drawn(const Axis& axis, Draw& draw) {
    if (axis.field == &Choice::layout)
      return draw.pick("layout of " + axis.arg->name, axis.arg->tensor->layouts);
    if (axis.field != &Choice::dtype)
      return static_cast<std::size_t>(draw.alternative(static_cast<std::int64_t>(axis.size)));
    std::vector<std::string> names;
    const Call none;
    CallScope scope(none);
    for (const Expression& dtype : axis.arg->tensor->dtypes) {
      const auto known = dtype.dtype(scope);  // a constant; others are told apart by their text
      names.push_back(known.ok() ? std::string(name_of(*known)) : dtype.text());
    }
    return draw.pick("type of " + axis.arg->name, names);
  }

  void add(const ArgTemplate& arg) {
    args_.push_back(&arg);
    add_axes(arg, axes_);
  }

  [[nodiscard]] std::map<std::string, Choice> choices(const std::vector<std::size_t>& indices) const {
    std::map<std::string, Choice> out;
    for (const ArgTemplate* arg : args_) out[arg->name].arg = arg;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Axis& axis = axes_[i];
      if (axis.arg != nullptr) out[axis.arg->name].*axis.field = indices[i];
      for (const ZipColumn* column : axis.columns) out[column->name] = Choice{&column->rows[indices[i]]};
    }
    return out;
  }

  std::vector<const ArgTemplate*> args_;
  std::vector<Axis> axes_;
  std::size_t points_ = 1;
};

// Collects workloads of one tier, gives them ids and drops what was there already.
class Collector {
 public:
  Collector(const Operator& op, Tier tier) : op_(op), tier_(tier) {}

  void add(Call call, const WorkloadTemplate& t, std::vector<Workload>& out) {
    std::vector<std::size_t>& same = seen_[call.entry + describe(call)];
    for (const std::size_t index : same) {
      if (out[index].call.entry == call.entry && out[index].call.args == call.args &&
          out[index].flush == t.flush)
        return;
    }
    same.push_back(out.size());
    call.workload = fmt::format("{}{}", letter_of(tier_), next_++);
    const auto tensors = tensors_of(call);
    // Where a number is returned one element is all there is.
    const bool number = op_.find_entry(call.entry)->schema.gives_number();
    const bool small = !tensors.empty() && !number &&
                       std::all_of(tensors.begin(), tensors.end(),
                                   [](const auto& item) { return item.second.numel() <= 1; });
    out.push_back({std::move(call), tier_, t.weight, t.edge || small, t.flush});
  }

 private:
  const Operator& op_;
  Tier tier_;
  int next_ = 0;
  std::unordered_map<std::string, std::vector<std::size_t>> seen_;
};

void expand(const Operator& op, const WorkloadTemplate& t, Collector& collector, std::vector<Workload>& out,
            Problems& problems) {
  const std::size_t before = out.size();
  bool failed = false;
  for (const std::string& name : t.entries) {
    const Entry* entry = op.find_entry(name);
    if (entry == nullptr) return;
    const Grid grid(t, *entry);
    if (grid.points() > kMaxGrid) {
      problems.add(t.line, t.where, fmt::format("has more than {} combinations", kMaxGrid));
      return;
    }
    for (std::size_t point = 0; point < grid.points() && !failed; ++point) {
      Resolver resolver(op, *entry, grid.at(point), nullptr);
      const auto wanted = t.when ? t.when->truth(resolver) : Result<bool>(true);
      if (wanted.ok() && !*wanted) continue;
      auto call = wanted.ok() ? resolver.call() : Result<Call>(wanted.error());
      failed = !call.ok();
      if (failed) {
        problems.add(t.line, t.where, call.error().message);
      } else {
        collector.add(std::move(call).value(), t, out);
      }
    }
  }
  if (out.size() == before && !failed) {
    problems.add(t.line, t.where, "gives no workload: `when` refuses all of them, or all are given before");
  }
}

// One draw; an empty result when `when` refuses it.
Result<std::optional<Call>> draw_once(const Operator& op, const WorkloadTemplate& t, const Entry& entry,
                                      Draw& draw) {
  const Grid grid(t, entry);
  Resolver resolver(op, entry, grid.drawn(draw), &draw);
  if (t.when) {
    KGB_TRY(const bool wanted, t.when->truth(resolver));
    if (!wanted) return std::optional<Call>();
  }
  KGB_TRY(Call call, resolver.call());
  return std::optional(std::move(call));
}

void draw_template(const Operator& op, const WorkloadTemplate& t, int index, std::uint64_t seed,
                   std::map<std::string, Uses>& uses, Collector& collector, std::vector<Workload>& out,
                   Problems& problems) {
  constexpr int attempts = 64;
  const std::size_t before = out.size();
  for (int i = 0; i < t.count; ++i) {
    const Entry* entry = op.find_entry(t.entries[static_cast<std::size_t>(i) % t.entries.size()]);
    if (entry == nullptr) return;
    const std::size_t drawn = out.size();
    for (int attempt = 0; attempt < attempts && out.size() == drawn; ++attempt) {
      Draw draw(seed, op.name, index, i, attempt, uses[entry->name]);
      auto call = draw_once(op, t, *entry, draw);
      if (!call.ok()) return problems.add(t.line, t.where, call.error().message);
      if (*call) collector.add(std::move(**call), t, out);
      if (out.size() > drawn) draw.count_into(uses[entry->name]);
    }
  }
  if (out.size() == before) problems.add(t.line, t.where, "gives no workload: `when` refuses every draw");
}

}  // namespace

std::vector<Workload> expand_fixed(const Operator& op, Problems& problems) {
  std::vector<Workload> out;
  for (const Tier tier : {Tier::smoke, Tier::full, Tier::published}) {
    Collector collector(op, tier);
    for (const WorkloadTemplate& t : op.templates) {
      if (tier_named(t.tier) == tier) expand(op, t, collector, out, problems);
    }
  }
  return out;
}

std::vector<Workload> expand_own(const Operator& op, const std::vector<WorkloadTemplate>& templates,
                                 Problems& problems) {
  std::vector<Workload> out;
  Collector collector(op, Tier::own);
  for (const WorkloadTemplate& t : templates) expand(op, t, collector, out, problems);
  return out;
}

std::vector<Workload> draw_hidden(const Operator& op, std::uint64_t seed, Problems& problems) {
  std::vector<Workload> out;
  Collector collector(op, Tier::hidden);
  std::map<std::string, Uses> uses;  // by entry
  int index = 0;
  for (const WorkloadTemplate& t : op.templates) {
    if (t.hidden()) draw_template(op, t, index++, seed, uses, collector, out, problems);
  }
  return out;
}

}  // namespace kgb
