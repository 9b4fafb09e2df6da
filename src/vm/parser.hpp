// SPDX-License-Identifier: Apache-2.0
// The recursive-descent reader behind read_module; split over parser.cpp (operations) and parser_module.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "vm/lexer.hpp"
#include "vm/raw.hpp"

namespace kgb::vm {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), lexer_(text) {}
  Result<RawModule> module();

 private:
  struct Named {
    int first = 0, count = 1;
  };
  // Every member returns false after the first error, which fail() keeps.
  bool fail(std::string what);
  bool expect(std::string_view punct);
  bool accept(std::string_view punct);

  bool aliases_and_functions();
  bool alias();
  bool function();
  bool parameters(RawFunction& function, std::vector<int>& values);

  bool region(RawRegion& region, int depth, std::vector<int> entry_arguments = {});
  bool block_header(RawBlock& block);
  bool block_arguments(std::vector<int>& values);
  bool operation(RawOp& op, int depth);
  bool result_names(std::vector<std::pair<std::string_view, int>>& names);
  bool operation_body(RawOp& op, int depth);
  bool parenthesis(RawOp& op, int depth);
  bool word(RawOp& op);
  bool for_loop(RawOp& op, int depth);
  bool while_loop(RawOp& op, int depth);
  bool bindings(RawOp& op, std::vector<std::string_view>& names);
  bool if_else(RawOp& op, int depth);
  bool call(RawOp& op);
  bool constant(RawOp& op);
  bool successor(RawOp& op);
  bool operand(std::vector<int>& out);
  bool operand_list(std::vector<int>& out, std::string_view close);
  bool attributes(RawOp& op);
  bool types(RawOp& op);
  bool type(int& out);
  bool location(std::string_view& where);
  bool define_results(RawOp& op, const std::vector<std::pair<std::string_view, int>>& names);

  int new_value(int type);
  int intern(const Type& type);
  int boolean_like(int type);
  int pointee_of(int type);
  int element_of(int type);
  void define(std::string_view name, Named named);
  void leave(std::size_t mark);  // restores the names that a scope hid

  std::string_view text_;
  Lexer lexer_;
  RawModule module_;
  std::unordered_map<std::string_view, int> type_ids_;  // by text
  std::unordered_map<std::string, int> made_type_ids_;  // of types that no text spells
  std::unordered_map<std::string_view, Named> names_;
  std::vector<std::pair<std::string_view, std::optional<Named>>> undo_;  // what a scope hid
  std::size_t operations_ = 0;
  std::string error_;
};

}  // namespace kgb::vm
