// SPDX-License-Identifier: Apache-2.0
// One point of a grid made concrete: every argument's value, in whatever order they depend on each other.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "catalogue/expression.hpp"
#include "catalogue/layout.hpp"
#include "catalogue/operator.hpp"
#include "catalogue/template.hpp"

namespace kgb {

// Which alternative of an argument is taken, for each thing that has alternatives.
struct Choice {
  const ArgTemplate* arg = nullptr;
  std::size_t scalar = 0, shape = 0, list = 0, dtype = 0, layout = 0, domain = 0;
};

class Resolver : public Scope {
 public:
  Resolver(const Operator& op, const Entry& entry, std::map<std::string, Choice> choices, Draw* draw)
      : op_(op), entry_(entry), choices_(std::move(choices)), draw_(draw) {}

  [[nodiscard]] Result<ArgValue> lookup(const std::string& name) override;
  [[nodiscard]] Draw* draw() override { return draw_; }
  // Every argument of the entry, defaults included.
  [[nodiscard]] Result<Call> call();

 private:
  [[nodiscard]] Result<ArgValue> resolve(const std::string& name);
  [[nodiscard]] Result<ArgValue> scalar(const Choice& choice, const Parameter* parameter);
  [[nodiscard]] Result<ArgValue> tensors(const Choice& choice, const Parameter& parameter);
  [[nodiscard]] Result<TensorSpec> tensor(const Choice& choice, const Parameter& parameter,
                                          const ShapeChoice* shape);
  [[nodiscard]] Result<bool> is_none(const ShapeChoice& shape, const Parameter& parameter);
  [[nodiscard]] Result<std::vector<std::int64_t>> sizes(const ShapeChoice& shape);
  [[nodiscard]] LayoutKind any_layout(const std::string& argument, const TensorSpec& spec);
  [[nodiscard]] Status place(const Choice& choice, const TensorSpec* base, bool own_shape, TensorSpec& spec);
  [[nodiscard]] Result<Domain> domain(const Choice& choice, DType dtype);

  const Operator& op_;
  const Entry& entry_;
  std::map<std::string, Choice> choices_;
  Draw* draw_;
  std::map<std::string, ArgValue> known_;
  std::vector<std::string> under_way_;
};

}  // namespace kgb
