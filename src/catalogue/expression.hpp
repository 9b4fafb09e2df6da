// SPDX-License-Identifier: Apache-2.0
// The small expressions of cards: arithmetic over argument names, with sizes and dtypes of tensors.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/call.hpp"

namespace kgb {

class Draw;

// Where an expression's names get their values.
class Scope {
 public:
  Scope() = default;
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  virtual ~Scope() = default;
  [[nodiscard]] virtual Result<ArgValue> lookup(const std::string& name) = 0;
  // The source of the random functions; nullptr outside hidden templates.
  [[nodiscard]] virtual Draw* draw() { return nullptr; }
};

// Names are the arguments of a call.
class CallScope : public Scope {
 public:
  explicit CallScope(const Call& call) : call_(call) {}
  [[nodiscard]] Result<ArgValue> lookup(const std::string& name) override;

 private:
  const Call& call_;
};

struct ExpressionNode;

class Expression {
 public:
  // Syntax, function names and numbers of arguments are checked here; names of arguments are not.
  [[nodiscard]] static Result<Expression> parse(std::string_view text);
  [[nodiscard]] static Expression constant(ArgValue value);

  [[nodiscard]] Result<ArgValue> evaluate(Scope& scope) const;
  [[nodiscard]] Result<std::int64_t> integer(Scope& scope) const;  // a whole real counts
  [[nodiscard]] Result<double> number(Scope& scope) const;
  [[nodiscard]] Result<bool> truth(Scope& scope) const;
  [[nodiscard]] Result<DType> dtype(Scope& scope) const;

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool random() const { return random_; }  // uses a random function
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  std::string text_;
  std::shared_ptr<const ExpressionNode> root_;
  std::vector<std::string> names_;
  bool random_ = false;
};

// "an integer", "a tensor", ... for messages.
[[nodiscard]] std::string_view kind_of(const ArgValue& value);

}  // namespace kgb
