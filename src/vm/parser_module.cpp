// SPDX-License-Identifier: Apache-2.0
// Reading of a module: location aliases, functions, regions and types.
#include <algorithm>

#include "vm/parser.hpp"

namespace kgb::vm {

void Parser::leave(std::size_t mark) {
  while (undo_.size() > mark) {
    const auto& [name, hidden] = undo_.back();
    if (hidden)
      names_[name] = *hidden;
    else
      names_.erase(name);
    undo_.pop_back();
  }
}

int Parser::intern(const Type& type) {
  module_.types.push_back(type);
  return static_cast<int>(module_.types.size()) - 1;
}

bool Parser::type(int& out) {
  const std::string_view text = lexer_.take_type();
  if (text.empty()) return fail("expected a type");
  const auto found = type_ids_.find(text);
  if (found != type_ids_.end()) {
    out = found->second;
    return true;
  }
  const auto parsed = type_from_text(text);
  if (!parsed)
    return fail("'" + std::string(text.substr(0, 60)) + "' is no type, or a tile above 1048576 elements");
  out = intern(*parsed);
  type_ids_.emplace(text, out);
  return true;
}

// i1 in the shape of a type; a scalar for type < 0.
int Parser::boolean_like(int type) {
  const std::string key = "i1 like " + std::to_string(type);
  const auto found = made_type_ids_.find(key);
  if (found != made_type_ids_.end()) return found->second;
  Type made;
  if (type >= 0) made = module_.types[static_cast<std::size_t>(type)];
  made.kind = Type::Kind::value;
  made.dtype = DType::b8;
  made.text = "i1";
  return made_type_ids_[key] = intern(made);
}

int Parser::pointee_of(int type) {
  const std::string key = "pointee of " + std::to_string(type);
  const auto found = made_type_ids_.find(key);
  if (found != made_type_ids_.end()) return found->second;
  Type made = module_.types[static_cast<std::size_t>(type)];
  // Kind::unknown stays unknown, and so does what is no pointer: the load is refused later, with its place.
  made.kind = made.pointer() ? Type::Kind::value : Type::Kind::unknown;
  // A pointer to pointers: the text with one wrapper less is the pointee's type.
  if (const auto at = made.text.find("!tt.ptr<!tt.ptr<"); at != std::string::npos) {
    std::string inner = made.text;
    inner.erase(inner.rfind('>'), 1).erase(at, 8);
    if (const auto parsed = type_from_text(inner)) made = *parsed;
  }
  return made_type_ids_[key] = intern(made);
}

// The scalar that a one-element tile holds.
int Parser::element_of(int type) {
  const std::string key = "element of " + std::to_string(type);
  const auto found = made_type_ids_.find(key);
  if (found != made_type_ids_.end()) return found->second;
  Type made = module_.types[static_cast<std::size_t>(type)];
  made.tensor = false;
  made.shape.clear();
  made.count = 1;
  return made_type_ids_[key] = intern(made);
}

bool Parser::block_arguments(std::vector<int>& values) {
  if (accept(")")) return true;
  do {
    if (lexer_.peek().kind != TokenKind::value) return fail("expected a block argument");
    const std::string_view name = lexer_.take().text;
    int id = 0;
    if (!expect(":") || !type(id)) return false;
    values.push_back(new_value(id));
    define(name, {values.back(), 1});
    std::string_view ignored;
    if (lexer_.peek().is_word("loc") && !location(ignored)) return false;
  } while (accept(","));
  return expect(")");
}

bool Parser::block_header(RawBlock& block) {
  block.label = lexer_.take().text;
  if (accept("(") && !block_arguments(block.arguments)) return false;
  return expect(":");
}

bool Parser::region(RawRegion& region, int depth, std::vector<int> entry_arguments) {
  if (depth > kMaxNesting) return fail("regions nested deeper than 48");
  const std::size_t mark = undo_.size();
  region.blocks.emplace_back();
  region.blocks.back().arguments = std::move(entry_arguments);
  while (!accept("}")) {
    if (lexer_.peek().kind == TokenKind::end) return fail("a region is never closed");
    if (lexer_.peek().kind == TokenKind::block) {
      RawBlock& last = region.blocks.back();
      if (!last.ops.empty() || !last.label.empty()) region.blocks.emplace_back();
      if (!block_header(region.blocks.back())) return false;
      continue;
    }
    RawOp op;
    if (!operation(op, depth)) return false;
    region.blocks.back().ops.push_back(std::move(op));
  }
  leave(mark);
  return true;
}

bool Parser::alias() {
  const std::string_view name = lexer_.take().text;
  if (!expect("=")) return false;
  if (!lexer_.peek().is_word("loc")) {  // another kind of alias: its value is of no use here
    while (lexer_.peek().kind != TokenKind::end && !lexer_.peek().first_on_line) lexer_.take();
    return true;
  }
  std::string_view where;
  if (!location(where)) return false;
  module_.aliases.emplace_back(name, where);
  return true;
}

bool Parser::parameters(RawFunction& function, std::vector<int>& values) {
  if (!expect("(")) return false;
  if (accept(")")) return true;
  do {
    if (lexer_.peek().kind != TokenKind::value) return fail("expected a parameter");
    const std::string_view name = lexer_.take().text;
    int id = 0;
    if (!expect(":") || !type(id)) return false;
    values.push_back(new_value(id));
    define(name, {values.back(), 1});
    function.parameter_names.emplace_back(name);
    RawOp ignored;
    if (lexer_.peek().is("{") && !attributes(ignored)) return false;
    if (lexer_.peek().is_word("loc") && !location(ignored.where)) return false;
  } while (accept(","));
  return expect(")");
}

bool Parser::function() {
  RawFunction function;
  lexer_.take();  // tt.func
  if (lexer_.peek().kind == TokenKind::word) function.is_public = lexer_.take().text == "public";
  if (lexer_.peek().kind != TokenKind::symbol) return fail("expected the function's name");
  function.name = std::string(lexer_.take().text);
  const std::size_t mark = undo_.size();
  std::vector<int> values;
  if (!parameters(function, values)) return false;
  if (accept("->")) {
    RawOp result;
    if (lexer_.peek().is("(")) {
      lexer_.take();
      while (!accept(")")) {
        int id = 0;
        if (!type(id)) return false;
        function.result_types.push_back(id);
        accept(",");
      }
    } else {
      int id = 0;
      if (!type(id)) return false;
      function.result_types.push_back(id);
    }
  }
  RawOp ignored;
  if (lexer_.peek().is_word("attributes")) {
    lexer_.take();
    if (!attributes(ignored)) return false;
  }
  if (!expect("{") || !region(function.body, 1, std::move(values))) return false;
  leave(mark);
  if (lexer_.peek().is_word("loc") && !location(ignored.where)) return false;
  module_.functions.push_back(std::move(function));
  return true;
}

bool Parser::aliases_and_functions() {
  bool inside = false, seen = false;
  while (lexer_.peek().kind != TokenKind::end) {
    const Token token = lexer_.peek();
    if (token.kind == TokenKind::alias) {
      if (!alias()) return false;
    } else if (token.is_word("module") && !seen) {
      seen = inside = true;
      lexer_.take();
      if (lexer_.peek().kind == TokenKind::symbol) lexer_.take();
      RawOp ignored;
      if (lexer_.peek().is_word("attributes")) {
        lexer_.take();
        if (!attributes(ignored)) return false;
      }
      if (!expect("{")) return false;
    } else if (token.is_word("tt.func") && inside) {
      if (!function()) return false;
    } else if (token.is("}") && inside) {
      inside = false;
      lexer_.take();
    } else if (token.is_word("loc")) {
      std::string_view ignored;
      if (!location(ignored)) return false;
    } else {
      return fail("expected 'module', a 'tt.func' inside of it, or a location");
    }
  }
  if (inside) return fail("the module is never closed");
  return seen || fail("expected a TTIR module");
}

Result<RawModule> Parser::module() {
  if (!aliases_and_functions()) return user_error(error_);
  std::sort(module_.aliases.begin(), module_.aliases.end());
  if (module_.functions.empty()) return user_error("the TTIR module has no function");
  module_.text = text_;
  return std::move(module_);
}

Result<RawModule> read_module(std::string_view text) {
  if (text.size() > kMaxText) return user_error("the TTIR text is larger than 32 MiB");
  return Parser(text).module();
}

}  // namespace kgb::vm
