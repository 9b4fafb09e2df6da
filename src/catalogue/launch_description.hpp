// SPDX-License-Identifier: Apache-2.0
// The launch description of a CUDA candidate: what its comment `/* kgbench ... */` says of how its kernels
// are launched for each entry. It is data: expressions over shapes and arguments, and nothing that runs.
// docs/contracts/cuda.md.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "catalogue/expression.hpp"

namespace kgb {

// "add<{dtype(self)}, 4>": text, then an expression and the text behind it, and so on.
struct NameTemplate {
  std::string begin;
  std::vector<std::pair<Expression, std::string>> rest;
};

struct DescribedArgument {
  std::string text;                 // as written; the path of a tensor, or an expression
  std::optional<Expression> value;  // of `text`, or of what a cast holds; none: only a path can it be
  std::optional<DType> as;          // f16(x), bf16(x), f32(x), f64(x)
};

struct DescribedLaunch {
  int line = 0;  // in the candidate's file
  std::optional<Expression> when;
  NameTemplate kernel;
  std::vector<Expression> grid, block;  // 1 to 3 each
  std::optional<Expression> shared_bytes;
  std::vector<DescribedArgument> args;
};

struct DescribedScratch {
  std::string name;
  int line = 0;
  Expression dtype;
  std::vector<Expression> shape;
  std::optional<Expression> fill;  // of every element, before the first launch
};

struct DescribedValue {
  std::string name;
  int line = 0;
  Expression value;
};

struct DescribedEntry {
  std::vector<std::string> names;  // entries of the card that it serves
  int line = 0;
  std::vector<DescribedValue> expand;  // a tensor is seen in the shape of another, or of a list
  std::vector<std::pair<std::string, int>>
      contiguous;  // tensors that kernels get as row-major copies; and lines
  std::vector<DescribedValue> let;
  std::vector<DescribedScratch> scratch;
  std::vector<DescribedLaunch> launches;
};

struct LaunchDescription {
  std::map<std::string, std::string> compile;  // options of the compiler, checked
  std::vector<DescribedEntry> entries;
  [[nodiscard]] const DescribedEntry* find(std::string_view entry) const;
};

// Read, or what is wrong with it and on which line of the file.
struct ReadDescription {
  std::optional<LaunchDescription> description;
  std::string complaint;
  int line = 0;
};
[[nodiscard]] ReadDescription read_launch_description(std::string_view source);

}  // namespace kgb
