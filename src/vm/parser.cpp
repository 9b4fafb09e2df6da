// SPDX-License-Identifier: Apache-2.0
// Reading of operations and regions. One generic form covers nearly all of TTIR; scf.for, scf.while, scf.if,
// tt.call and arith.constant have their own.
#include "vm/parser.hpp"

#include <algorithm>

namespace kgb::vm {

bool Parser::fail(std::string what) {
  if (error_.empty())
    error_ = "line " + std::to_string(lexer_.line_of(lexer_.peek().begin)) + " of the TTIR: " + what +
             (lexer_.peek().kind == TokenKind::end
                  ? ", got the end of the text"
                  : ", got '" + std::string(lexer_.peek().text.substr(0, 40)) + "'");
  return false;
}

bool Parser::accept(std::string_view punct) {
  if (!lexer_.peek().is(punct)) return false;
  lexer_.take();
  return true;
}

bool Parser::expect(std::string_view punct) {
  return accept(punct) || fail("expected '" + std::string(punct) + "'");
}

int Parser::new_value(int type) {
  module_.value_types.push_back(type);
  return static_cast<int>(module_.value_types.size()) - 1;
}

void Parser::define(std::string_view name, Named named) {
  const auto [at, fresh] = names_.try_emplace(name, named);
  undo_.emplace_back(name, fresh ? std::nullopt : std::optional<Named>(at->second));
  at->second = named;
}

bool Parser::operand(std::vector<int>& out) {
  const Token token = lexer_.peek();
  if (token.kind != TokenKind::value) return fail("expected a value");
  const auto found = names_.find(token.text);
  if (found == names_.end()) return fail("value '%" + std::string(token.text) + "' is not defined here");
  lexer_.take();
  int index = 0;
  const Token& next = lexer_.peek();
  if (next.kind == TokenKind::alias && next.begin == token.begin + token.text.size() + 1) {  // "#1" glued on
    for (const char c : next.text.substr(1)) {
      if (c < '0' || c > '9' || index > 100'000) return fail("expected a result number");
      index = index * 10 + (c - '0');
    }
    lexer_.take();
  }
  if (index >= found->second.count) return fail("'%" + std::string(token.text) + "' has no such result");
  out.push_back(found->second.first + index);
  return true;
}

bool Parser::operand_list(std::vector<int>& out, std::string_view close) {
  if (accept(close)) return true;
  do {
    if (!operand(out)) return false;
  } while (accept(","));
  if (accept(":")) {  // cf.br ^bb1(%a : f32)
    int ignored = 0;
    do {
      if (!type(ignored)) return false;
    } while (accept(","));
  }
  return expect(close);
}

bool Parser::attributes(RawOp& op) {
  if (!expect("{")) return false;
  while (!accept("}")) {
    const Token key = lexer_.peek();
    if (key.kind != TokenKind::word && key.kind != TokenKind::string)
      return fail("expected an attribute name");
    lexer_.take();
    std::string_view value;
    if (lexer_.peek().is("=")) {
      lexer_.take();
      value = lexer_.take_attribute();
      if (value.empty()) return fail("expected an attribute value");
    }
    op.attributes.push_back({key.text, value});
    if (!accept(",") && !lexer_.peek().is("}")) return fail("expected ',' or '}'");
  }
  return true;
}

bool Parser::location(std::string_view& where) {
  lexer_.take();  // "loc"
  std::string_view text = lexer_.take_balanced();
  if (text.size() < 2) return fail("expected a location");
  where = text.substr(1, text.size() - 2);
  return true;
}

bool Parser::types(RawOp& op) {
  while (true) {
    const Token token = lexer_.peek();
    if (token.kind == TokenKind::end || token.first_on_line || token.is_word("loc") || token.is("{"))
      return true;
    if (token.is("->") || token.is_word("to")) {
      op.arrow = static_cast<int>(op.types.size());
      lexer_.take();
    } else if (token.is("(") || token.is(")") || token.is(",") || token.is("*") || token.is_word("scale")) {
      lexer_.take();
    } else {
      int id = 0;
      if (!type(id)) return false;
      op.types.push_back(id);
    }
  }
}

bool Parser::successor(RawOp& op) {
  RawSuccessor successor{lexer_.take().text, {}};
  if (accept("(") && !operand_list(successor.operands, ")")) return false;
  op.successors.push_back(std::move(successor));
  return true;
}

bool Parser::word(RawOp& op) {
  const Token token = lexer_.take();
  if (lexer_.peek().is("=")) {
    lexer_.take();
    std::string_view value = lexer_.take().text;
    if (lexer_.peek().is("<")) value = lexer_.take_balanced();
    op.attributes.push_back({token.text, value});
  } else {
    if (lexer_.peek().is("<") && lexer_.take_balanced().empty())
      return fail("'<' is never closed");  // overflow<nsw>
    op.words.push_back(token.text);
    if (token.text == "scale") op.brackets.push_back(op.operands.size());  // tt.dot_scaled %a scale %s
  }
  return true;
}

bool Parser::parenthesis(RawOp& op, int depth) {
  lexer_.take();
  if (!lexer_.peek().is("{")) return operand_list(op.operands, ")");
  do {
    if (!expect("{")) return false;
    op.regions.emplace_back();
    if (!region(op.regions.back(), depth + 1)) return false;
  } while (accept(","));
  return expect(")");
}

bool Parser::operation_body(RawOp& op, int depth) {
  while (true) {
    const Token token = lexer_.peek();
    if (token.kind == TokenKind::end || token.first_on_line || token.is("}")) return true;
    bool good = true;
    switch (token.kind) {
      case TokenKind::value:
        good = operand(op.operands);
        break;
      case TokenKind::block:
        good = successor(op);
        break;
      case TokenKind::symbol:
        op.symbol = lexer_.take().text;
        break;
      case TokenKind::string:
        op.literal = lexer_.take().text;
        break;
      case TokenKind::number:
        op.words.push_back(lexer_.take().text);
        break;
      case TokenKind::word:
        good = token.text == "loc" ? location(op.where) : word(op);
        break;
      default:
        if (token.is(",")) {
          lexer_.take();
        } else if (token.is("{")) {
          good = attributes(op);
        } else if (token.is("<")) {
          lexer_.take();
          good = attributes(op) && expect(">");
        } else if (token.is("(")) {
          good = parenthesis(op, depth);
        } else if (token.is("[")) {
          lexer_.take();
          const std::size_t before = op.operands.size();
          good = operand_list(op.operands, "]");
          op.brackets.push_back(op.operands.size() - before);
        } else if (token.is("->")) {  // no operands: "tt.elementwise_inline_asm .. -> i32"
          good = types(op);
        } else if (token.is(":")) {
          lexer_.take();
          if (lexer_.peek().kind != TokenKind::value) good = types(op);
        } else {
          good = fail("unexpected text in '" + std::string(op.name) + "'");
        }
    }
    if (!good) return false;
  }
}

bool Parser::constant(RawOp& op) {
  if (lexer_.peek().is("{") && !attributes(op)) return false;
  const Token token = lexer_.peek();
  if (token.is_word("dense"))
    op.literal = lexer_.take_type();
  else if (token.kind == TokenKind::number || token.kind == TokenKind::word)
    op.literal = lexer_.take().text;
  if (op.literal.empty()) return fail("expected a constant");
  if (accept(":") && !types(op)) return false;
  return operation_body(op, 0);
}

bool Parser::call(RawOp& op) {
  if (lexer_.peek().kind != TokenKind::symbol) return fail("expected the function to call");
  op.symbol = lexer_.take().text;
  return operation_body(op, 0);
}

// "%a = %b, %c = %d)": the right sides become operands.
bool Parser::bindings(RawOp& op, std::vector<std::string_view>& names) {
  if (accept(")")) return true;
  do {
    if (lexer_.peek().kind != TokenKind::value) return fail("expected a loop variable");
    names.push_back(lexer_.take().text);
    if (!expect("=") || !operand(op.operands)) return false;
  } while (accept(","));
  return expect(")");
}

bool Parser::for_loop(RawOp& op, int depth) {
  if (lexer_.peek().is_word("unsigned")) op.words.push_back(lexer_.take().text);
  if (lexer_.peek().kind != TokenKind::value) return fail("expected the loop variable");
  std::vector<std::string_view> names{lexer_.take().text};
  if (!expect("=") || !operand(op.operands)) return false;
  if (!lexer_.take().is_word("to") || !operand(op.operands)) return fail("expected 'to' and a bound");
  if (!lexer_.take().is_word("step") || !operand(op.operands)) return fail("expected 'step' and a value");
  if (lexer_.peek().is_word("iter_args")) {
    lexer_.take();
    if (!expect("(") || !bindings(op, names)) return false;
  }
  op.arrow = 0;
  if (accept("->")) {
    if (!expect("(")) return false;
    while (!accept(")")) {
      int id = 0;
      if (!type(id)) return false;
      op.types.push_back(id);
      accept(",");
    }
  }
  int counter = module_.value_types[static_cast<std::size_t>(op.operands[0])];
  if (accept(":") && !type(counter)) return false;
  if (op.types.size() + 1 != names.size()) return fail("scf.for has other counts of variables and types");
  std::vector<int> values{new_value(counter)};
  for (const int id : op.types) values.push_back(new_value(id));
  const std::size_t mark = undo_.size();
  for (std::size_t i = 0; i < names.size(); ++i) define(names[i], {values[i], 1});
  op.regions.emplace_back();
  if (!expect("{") || !region(op.regions.back(), depth + 1, std::move(values))) return false;
  leave(mark);
  return operation_body(op, depth);
}

bool Parser::while_loop(RawOp& op, int depth) {
  std::vector<std::string_view> names;
  if (accept("(") && !bindings(op, names)) return false;
  if (!expect(":") || !types(op)) return false;
  const auto before = static_cast<std::size_t>(std::max(op.arrow, 0));
  if (op.arrow < 0 || before != names.size())
    return fail("scf.while has other counts of variables and types");
  std::vector<int> values;
  for (std::size_t i = 0; i < before; ++i) values.push_back(new_value(op.types[i]));
  const std::size_t mark = undo_.size();
  for (std::size_t i = 0; i < before; ++i) define(names[i], {values[i], 1});
  op.regions.resize(2);
  if (!expect("{") || !region(op.regions[0], depth + 1, std::move(values))) return false;
  leave(mark);
  if (!lexer_.take().is_word("do")) return fail("expected 'do'");
  if (!expect("{") || !region(op.regions[1], depth + 1)) return false;
  return operation_body(op, depth);
}

bool Parser::if_else(RawOp& op, int depth) {
  if (!operand(op.operands)) return false;
  op.arrow = 0;
  if (accept("->") && !types(op)) return false;
  op.arrow = 0;
  op.regions.emplace_back();
  if (!expect("{") || !region(op.regions.back(), depth + 1)) return false;
  if (lexer_.peek().is_word("else")) {
    lexer_.take();
    op.regions.emplace_back();
    if (!expect("{") || !region(op.regions.back(), depth + 1)) return false;
  }
  return operation_body(op, depth);
}

bool Parser::result_names(std::vector<std::pair<std::string_view, int>>& names) {
  do {
    const Token name = lexer_.take();
    int count = 1;
    if (accept(":")) {
      count = 0;
      for (const char c : lexer_.peek().text)
        if (c >= '0' && c <= '9' && count <= 4096) count = count * 10 + (c - '0');
      if (lexer_.peek().kind != TokenKind::number || count < 1 || count > 4096)
        return fail("expected a result count");
      lexer_.take();
    }
    names.emplace_back(name.text, count);
  } while (accept(",") && lexer_.peek().kind == TokenKind::value);
  return expect("=");
}

bool Parser::operation(RawOp& op, int depth) {
  if (++operations_ > kMaxOperations) return fail("more than 200000 operations");
  op.offset = lexer_.peek().begin;
  std::vector<std::pair<std::string_view, int>> names;
  if (lexer_.peek().kind == TokenKind::value && !result_names(names)) return false;
  const Token name = lexer_.peek();
  if (name.kind != TokenKind::word && name.kind != TokenKind::string) return fail("expected an operation");
  op.name = lexer_.take().text;
  const bool good = op.name == "scf.for"          ? for_loop(op, depth)
                    : op.name == "scf.while"      ? while_loop(op, depth)
                    : op.name == "scf.if"         ? if_else(op, depth)
                    : op.name == "arith.constant" ? constant(op)
                    : op.name == "tt.call"        ? call(op)
                                                  : operation_body(op, depth);
  return good && define_results(op, names);
}

bool Parser::define_results(RawOp& op, const std::vector<std::pair<std::string_view, int>>& names) {
  std::size_t total = 0;
  for (const auto& [name, count] : names) total += static_cast<std::size_t>(count);
  if (total == 0) return true;
  std::vector<int> found;
  if (op.arrow >= 0) {
    found.assign(op.types.begin() + op.arrow, op.types.end());
  } else if (op.types.empty()) {  // arith.constant true
    if (op.name != "arith.constant") return fail("'" + std::string(op.name) + "' has results but no type");
    found.push_back(boolean_like(-1));
  } else if (op.name == "tt.load") {
    found.push_back(pointee_of(op.types[0]));
  } else if (op.name == "tt.unsplat") {
    found.push_back(element_of(op.types[0]));
  } else if (op.name == "arith.cmpi" || op.name == "arith.cmpf") {
    found.push_back(boolean_like(op.types[0]));
  } else {
    found.push_back(op.name == "tt.addptr" ? op.types.front() : op.types.back());
  }
  if (found.empty()) return fail("'" + std::string(op.name) + "' has more results than types");
  if (found.size() > total) return fail("'" + std::string(op.name) + "' has fewer results than types");
  found.resize(total, found.back());  // tt.split prints one type for both
  for (const int id : found) op.results.push_back(new_value(id));
  std::size_t next = 0;
  for (const auto& [name, count] : names) {
    define(name, {op.results[next], count});
    next += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace kgb::vm
