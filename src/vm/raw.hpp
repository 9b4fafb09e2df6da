// SPDX-License-Identifier: Apache-2.0
// A TTIR module as read: a tree of generic operations over numbered values, before any meaning is checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "vm/type.hpp"

namespace kgb::vm {

inline constexpr std::size_t kMaxText = std::size_t{32} << 20;
inline constexpr std::size_t kMaxOperations = 200'000;
inline constexpr int kMaxNesting = 48;

struct RawAttribute {
  std::string_view key, value;  // value is empty for a valueless one
};

struct RawRegion;

struct RawSuccessor {
  std::string_view block;
  std::vector<int> operands;
};

struct RawOp {
  std::string_view name;
  std::vector<int> operands;
  std::vector<int> results;
  std::vector<std::string_view> words;   // bare words before the types: "slt", "acq_rel", "x"
  std::vector<RawAttribute> attributes;  // {..}, <{..}> and key = value
  std::vector<std::size_t> brackets;     // operands inside each [..] list; before each `scale`
  std::vector<int> types;                // all types after ':', in order; indices into RawModule::types
  int arrow = -1;                        // how many of them stand before "->" or "to"; -1: no arrow
  std::vector<RawRegion> regions;
  std::vector<RawSuccessor> successors;
  std::string_view symbol;   // @name
  std::string_view literal;  // arith.constant: "1 : i32" without the type; tt.print, tt.assert: the text
  std::string_view where;    // text inside loc(..), empty if absent
  std::size_t offset = 0;    // in the TTIR text

  [[nodiscard]] const std::string_view* attribute(std::string_view key) const {
    for (const RawAttribute& a : attributes)
      if (a.key == key) return &a.value;
    return nullptr;
  }
};

struct RawBlock {
  std::string_view label;  // without '^'
  std::vector<int> arguments;
  std::vector<RawOp> ops;
};
struct RawRegion {
  std::vector<RawBlock> blocks;
};

struct RawFunction {
  std::string name;
  bool is_public = false;
  std::vector<std::string> parameter_names;
  std::vector<int> result_types;
  RawRegion body;  // the first block's arguments are the parameters
};

struct SourcePlace {
  std::string file;
  int line = 0;
};

struct RawModule {
  std::string_view text;
  std::vector<RawFunction> functions;
  std::vector<Type> types;
  std::vector<int> value_types;  // type of each value, by value number
  // Position of a loc(..) text: aliases followed, callsites walked to their outermost frame.
  [[nodiscard]] SourcePlace place(std::string_view where) const;
  std::vector<std::pair<std::string_view, std::string_view>>
      aliases;  // sorted: "#loc12" -> text inside loc(..)
};

// The views in the module point into `text`.
[[nodiscard]] Result<RawModule> read_module(std::string_view text);

}  // namespace kgb::vm
