// SPDX-License-Identifier: Apache-2.0
// Recursive-descent parser of expressions, with limits on length and depth.
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.hpp"
#include "catalogue/expression.hpp"
#include "catalogue/expression_node.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

using Node = std::shared_ptr<const ExpressionNode>;

constexpr std::size_t kMaxText = 2048;
constexpr int kMaxDepth = 48;

Node make(Op op, std::vector<Node> children) {
  auto node = std::make_shared<ExpressionNode>();
  node->op = op;
  node->children = std::move(children);
  return node;
}

Node literal(ArgValue value) {
  auto node = std::make_shared<ExpressionNode>();
  node->value = std::move(value);
  return node;
}

struct BinaryOp {
  std::string_view token;
  Op op;
};

class Parser {
 public:
  Parser(std::string_view text, std::vector<std::string>& names, bool& random)
      : text_(text), names_(names), random_(random) {}

  Result<Node> whole() {
    KGB_TRY(Node node, conditional());
    skip();
    if (at_ != text_.size()) return error("cannot read what follows");
    return node;
  }

 private:
  struct Deeper {
    explicit Deeper(int& level) : depth(level) { ++depth; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
    ~Deeper() { --depth; }
    int& depth;
  };

  [[nodiscard]] Error error(const std::string& what) const {
    return user_error(fmt::format("{} at column {} of {}", what, at_ + 1, in_quotes(text_, 120)));
  }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  static bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
  bool accept(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    const std::size_t end = at_ + token.size();
    if (in_word(token.back()) && end < text_.size() && in_word(text_[end])) return false;  // a longer word
    at_ = end;
    return true;
  }

  Result<Node> conditional() {
    const Deeper deeper(depth_);
    if (depth_ > kMaxDepth) return error("nested too deeply");
    KGB_TRY(Node value, disjunction());
    if (!accept("if")) return value;
    KGB_TRY(Node condition, disjunction());
    if (!accept("else")) return error("expected 'else'");
    KGB_TRY(Node other, conditional());
    return make(Op::conditional, {condition, value, other});
  }
  Result<Node> disjunction() {
    KGB_TRY(Node left, conjunction());
    while (accept("or")) {
      KGB_TRY(Node right, conjunction());
      left = make(Op::logical_or, {left, right});
    }
    return left;
  }
  Result<Node> conjunction() {
    KGB_TRY(Node left, negation());
    while (accept("and")) {
      KGB_TRY(Node right, negation());
      left = make(Op::logical_and, {left, right});
    }
    return left;
  }
  Result<Node> negation() {
    const Deeper deeper(depth_);
    if (depth_ > kMaxDepth) return error("nested too deeply");
    if (!accept("not")) return comparison();
    KGB_TRY(Node operand, negation());
    return make(Op::logical_not, {operand});
  }
  Result<Node> comparison() {
    static constexpr BinaryOp ops[] = {{"==", Op::equal},      {"!=", Op::not_equal},
                                       {"<=", Op::less_equal}, {">=", Op::greater_equal},
                                       {"<", Op::less},        {">", Op::greater}};
    KGB_TRY(Node left, sum());
    for (const BinaryOp& candidate : ops) {
      if (!accept(candidate.token)) continue;
      KGB_TRY(Node right, sum());
      return make(candidate.op, {left, right});
    }
    return left;
  }
  Result<Node> sum() {
    KGB_TRY(Node left, product());
    for (;;) {
      const std::optional<Op> op = accept("+")   ? std::optional(Op::add)
                                   : accept("-") ? std::optional(Op::subtract)
                                                 : std::nullopt;
      if (!op) return left;
      KGB_TRY(Node right, product());
      left = make(*op, {left, right});
    }
  }
  Result<Node> product() {
    static constexpr BinaryOp ops[] = {
        {"*", Op::multiply}, {"//", Op::floor_divide}, {"/", Op::divide}, {"%", Op::modulo}};
    KGB_TRY(Node left, unary());
    for (;;) {
      const BinaryOp* found = nullptr;
      for (const BinaryOp& candidate : ops) {
        if (found == nullptr && accept(candidate.token)) found = &candidate;
      }
      if (found == nullptr) return left;
      KGB_TRY(Node right, unary());
      left = make(found->op, {left, right});
    }
  }
  Result<Node> unary() {
    const Deeper deeper(depth_);
    if (depth_ > kMaxDepth) return error("nested too deeply");
    if (accept("+")) return unary();
    if (!accept("-")) return postfix();
    KGB_TRY(Node operand, unary());
    return make(Op::negate, {operand});
  }
  Result<Node> postfix() {
    KGB_TRY(Node node, primary());
    while (accept("[")) {
      KGB_TRY(Node index, conditional());
      if (!accept("]")) return error("expected ']'");
      node = make(Op::index, {node, index});
    }
    return node;
  }

  Result<Node> primary() {
    skip();
    if (at_ >= text_.size()) return error("expected a value");
    const char c = text_[at_];
    if (accept("(")) {
      KGB_TRY(Node inner, conditional());
      if (!accept(")")) return error("expected ')'");
      return inner;
    }
    if (accept("[")) {
      KGB_TRY(std::vector<Node> items, arguments("]"));
      return make(Op::list, std::move(items));
    }
    if (c == '\'' || c == '"') return text_literal(c);
    if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.') return number();
    if (in_word(c)) return word();
    return error("expected a value");
  }

  Result<Node> text_literal(char quote) {
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) return error("a text without its end");
    Node node = literal(std::string(text_.substr(at_ + 1, end - at_ - 1)));
    at_ = end + 1;
    return node;
  }

  Result<Node> number() {
    const std::size_t from = at_;
    while (at_ < text_.size() &&
           (in_word(text_[at_]) || text_[at_] == '.' ||
            ((text_[at_] == '+' || text_[at_] == '-') && (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')))) {
      ++at_;
    }
    const std::string_view token = text_.substr(from, at_ - from);
    if (const auto integer = parse_int(token)) return literal(*integer);
    if (const auto real = parse_double(token)) return literal(*real);
    at_ = from;
    return error(fmt::format("{} is no number", in_quotes(token)));
  }

  Result<Node> word() {
    const std::size_t from = at_;
    while (at_ < text_.size() && in_word(text_[at_])) ++at_;
    const std::string name(text_.substr(from, at_ - from));
    if (accept("(")) return function(name, from);
    if (name == "true" || name == "True") return literal(true);
    if (name == "false" || name == "False") return literal(false);
    if (name == "None") return literal(None{});
    if (name == "inf") return literal(std::numeric_limits<double>::infinity());
    if (name == "nan") return literal(std::numeric_limits<double>::quiet_NaN());
    for (const char* keyword : {"if", "else", "and", "or", "not"}) {
      if (name == keyword) {
        at_ = from;
        return error(fmt::format("'{}' cannot stand here", name));
      }
    }
    names_.push_back(name);
    auto node = std::make_shared<ExpressionNode>();
    node->op = Op::name;
    node->name = name;
    return Node(node);
  }

  Result<Node> function(const std::string& name, std::size_t from) {
    const FunctionRule* rule = function_named(name);
    if (rule == nullptr) {
      at_ = from;
      return error(fmt::format("{} is no function{}", in_quotes(name), did_you_mean(name, function_names())));
    }
    KGB_TRY(std::vector<Node> args, arguments(")"));
    if (args.size() < rule->least || args.size() > rule->most) {
      at_ = from;
      return error(fmt::format("{} takes {} arguments, got {}", name,
                               rule->least == rule->most ? fmt::format("{}", rule->least)
                               : rule->most > 100        ? fmt::format("at least {}", rule->least)
                                                         : fmt::format("{} to {}", rule->least, rule->most),
                               args.size()));
    }
    if (rule->random) random_ = true;
    auto node = std::make_shared<ExpressionNode>();
    node->op = Op::call;
    node->name = name;
    node->children = std::move(args);
    return Node(node);
  }

  Result<std::vector<Node>> arguments(std::string_view close) {
    std::vector<Node> items;
    if (accept(close)) return items;
    for (;;) {
      KGB_TRY(Node item, conditional());
      items.push_back(std::move(item));
      if (accept(close)) return items;
      if (!accept(",")) return error(fmt::format("expected ',' or '{}'", close));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<std::string>& names_;
  bool& random_;
};

}  // namespace

Result<Expression> Expression::parse(std::string_view text) {
  if (text.size() > kMaxText) return user_error(fmt::format("an expression longer than {} bytes", kMaxText));
  Expression out;
  out.text_ = std::string(text);
  KGB_TRY(out.root_, Parser(text, out.names_, out.random_).whole());
  return out;
}

Expression Expression::constant(ArgValue value) {
  Expression out;
  out.root_ = literal(std::move(value));
  return out;
}

}  // namespace kgb
