// SPDX-License-Identifier: Apache-2.0
// Finds the description in a CUDA source and reads its TOML, every key and expression checked.
#include "catalogue/launch_description.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "catalogue/toml.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

constexpr std::size_t kMostEntries = 64, kMostLaunches = 256, kMostArguments = 128, kMostNames = 64;

// Ends the reading; never leaves this file.
struct Refused {
  int line;
  std::string what;
};

struct Block {
  std::string_view text;
  int before = 0;  // lines of the file before its first
};

// Of `/* kgbench` ... `*/`: what stands behind the word.
std::optional<Block> find_block(std::string_view source) {
  for (std::size_t at = source.find("/*"); at != std::string_view::npos; at = source.find("/*", at + 2)) {
    std::string_view rest = source.substr(at + 2);
    const std::size_t word = rest.find_first_not_of(" \t\r\n*");
    if (word == std::string_view::npos) return std::nullopt;
    rest = rest.substr(word);
    constexpr std::string_view kWord = "kgbench";
    if (!rest.starts_with(kWord) || rest.size() == kWord.size() ||
        (rest[kWord.size()] != '\n' && rest[kWord.size()] != '\r'))
      continue;
    rest = rest.substr(kWord.size());
    const std::string_view before = source.substr(0, source.size() - rest.size());
    const std::size_t end = rest.find("*/");
    if (end == std::string_view::npos) return std::nullopt;
    return Block{rest.substr(0, end), static_cast<int>(std::count(before.begin(), before.end(), '\n'))};
  }
  return std::nullopt;
}

class Reader {
 public:
  explicit Reader(int before) : before_(before) {}

  LaunchDescription read(const TomlTable& root) {
    LaunchDescription out;
    only(root, {"compile", "entry"}, 1);
    if (const TomlValue* compile = root.find("compile")) out.compile = options(*compile);
    const TomlValue* entries = root.find("entry");
    if (entries == nullptr) refuse(1, "describes no [[entry]]");
    for (const TomlValue& value : list(*entries, kMostEntries, "entry")) out.entries.push_back(entry(value));
    std::set<std::string> names;
    for (const DescribedEntry& described : out.entries)
      for (const std::string& name : described.names)
        if (!names.insert(name).second)
          throw Refused{described.line, "describes " + in_quotes(name) + " twice"};
    return out;
  }

  [[noreturn]] void refuse(int line, const std::string& what) const { throw Refused{line + before_, what}; }

 private:
  void only(const TomlTable& table, const std::vector<std::string>& known, int line) const {
    for (const TomlItem& item : table.items)
      if (std::find(known.begin(), known.end(), item.key) == known.end())
        refuse(item.value.line == 0 ? line : item.value.line,
               "has the unknown key " + in_quotes(item.key) + did_you_mean(item.key, known));
  }
  const TomlTable& table(const TomlValue& value, const char* what) const {
    const TomlTable* table = value.table();
    if (table == nullptr) refuse(value.line, fmt::format("{} is {}, not a table", what, value.type()));
    return *table;
  }
  const TomlArray& list(const TomlValue& value, std::size_t most, const char* what) const {
    const TomlArray* list = value.array();
    if (list == nullptr) refuse(value.line, fmt::format("{} is {}, not a list", what, value.type()));
    if (list->size() > most) refuse(value.line, fmt::format("{} has more than {} items", what, most));
    return *list;
  }
  std::string text(const TomlValue& value, const char* what) const {
    if (const std::string* text = value.text()) return *text;
    refuse(value.line, fmt::format("{} is {}, not a text", what, value.type()));
  }

  // An expression: a text, or a number as it is.
  Expression expression(const TomlValue& value, const char* what) const {
    if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return Expression::constant(*integer);
    if (const auto* real = std::get_if<double>(&value.data)) return Expression::constant(*real);
    return parsed(text(value, what), value.line, what);
  }
  Expression parsed(const std::string& text, int line, const char* what) const {
    Result<Expression> made = Expression::parse(text);
    if (!made.ok()) refuse(line, fmt::format("{}: {}", what, made.error().message));
    if (made->random()) refuse(line, fmt::format("{} draws at random: {}", what, in_quotes(text)));
    return *std::move(made);
  }
  // One, or a list of up to three.
  std::vector<Expression> sides(const TomlValue& value, const char* what) const {
    std::vector<Expression> out;
    if (value.array() == nullptr) return {expression(value, what)};
    for (const TomlValue& side : list(value, 3, what)) out.push_back(expression(side, what));
    if (out.empty()) refuse(value.line, fmt::format("{} has no side", what));
    return out;
  }

  std::map<std::string, std::string> options(const TomlValue& value) const {
    const TomlTable& options = table(value, "compile");
    only(options, {"std", "fast_math", "fmad", "max_registers"}, value.line);
    std::map<std::string, std::string> out;
    for (const TomlItem& item : options.items) {
      if (item.key == "std") {
        out[item.key] = text(item.value, "std");
        if (out[item.key] != "c++14" && out[item.key] != "c++17" && out[item.key] != "c++20")
          refuse(item.value.line, "std is c++14, c++17 or c++20, not " + in_quotes(out[item.key]));
      } else if (item.key == "max_registers") {
        const auto* most = std::get_if<std::int64_t>(&item.value.data);
        if (most == nullptr || *most < 16 || *most > 255)
          refuse(item.value.line, "max_registers is a number from 16 to 255");
        out[item.key] = std::to_string(*most);
      } else {
        const auto* flag = std::get_if<bool>(&item.value.data);
        if (flag == nullptr) refuse(item.value.line, item.key + " is true or false");
        out[item.key] = *flag ? "true" : "false";
      }
    }
    return out;
  }

  DescribedEntry entry(const TomlValue& value) const {
    const TomlTable& keys = table(value, "entry");
    only(keys, {"name", "expand", "contiguous", "let", "scratch", "launch"}, value.line);
    DescribedEntry out;
    out.line = value.line + before_;
    const TomlValue* name = keys.find("name");
    if (name == nullptr) refuse(value.line, "an [[entry]] has no name");
    out.line = name->line + before_;
    if (name->array() == nullptr) {
      out.names.push_back(text(*name, "name"));
    } else {
      for (const TomlValue& one : list(*name, kMostNames, "name")) out.names.push_back(text(one, "name"));
    }
    if (const TomlValue* expand = keys.find("expand")) out.expand = values(*expand, "expand");
    if (const TomlValue* contiguous = keys.find("contiguous"))
      for (const TomlValue& one : list(*contiguous, kMostArguments, "contiguous"))
        out.contiguous.emplace_back(text(one, "contiguous"), contiguous->line + before_);
    if (const TomlValue* let = keys.find("let")) out.let = values(*let, "let");
    if (const TomlValue* scratch = keys.find("scratch"))
      for (const TomlItem& item : table(*scratch, "scratch").items)
        out.scratch.push_back(this->scratch(item));
    const TomlValue* launches = keys.find("launch");
    if (launches == nullptr) refuse(value.line, "an [[entry]] has no [[entry.launch]]");
    for (const TomlValue& one : list(*launches, kMostLaunches, "launch")) out.launches.push_back(launch(one));
    return out;
  }

  std::vector<DescribedValue> values(const TomlValue& value, const char* what) const {
    std::vector<DescribedValue> out;
    for (const TomlItem& item : table(value, what).items)
      out.push_back({item.key, item.value.line + before_, expression(item.value, what)});
    return out;
  }

  DescribedScratch scratch(const TomlItem& item) const {
    const TomlTable& keys = table(item.value, "scratch");
    only(keys, {"dtype", "shape", "fill"}, item.value.line);
    const TomlValue *dtype = keys.find("dtype"), *shape = keys.find("shape"), *fill = keys.find("fill");
    if (dtype == nullptr || shape == nullptr)
      refuse(item.value.line, "scratch " + in_quotes(item.key) + " has no dtype or no shape");
    DescribedScratch out{item.key, item.value.line + before_, expression(*dtype, "dtype"), {}, {}};
    if (shape->array() == nullptr) {
      out.shape.push_back(expression(*shape, "shape"));
    } else {
      for (const TomlValue& side : list(*shape, 8, "shape")) out.shape.push_back(expression(side, "shape"));
    }
    if (fill != nullptr) out.fill = expression(*fill, "fill");
    return out;
  }

  DescribedLaunch launch(const TomlValue& value) const {
    const TomlTable& keys = table(value, "launch");
    only(keys, {"kernel", "grid", "block", "shared_bytes", "args", "when"}, value.line);
    DescribedLaunch out;
    const TomlValue *kernel = keys.find("kernel"), *block = keys.find("block"), *args = keys.find("args");
    if (kernel == nullptr || block == nullptr || args == nullptr)
      refuse(value.line, "a launch needs kernel, block and args");
    out.line = kernel->line + before_;
    out.kernel = name_template(text(*kernel, "kernel"), kernel->line);
    out.block = sides(*block, "block");
    if (const TomlValue* grid = keys.find("grid")) out.grid = sides(*grid, "grid");
    if (const TomlValue* shared = keys.find("shared_bytes"))
      out.shared_bytes = expression(*shared, "shared_bytes");
    if (const TomlValue* when = keys.find("when")) out.when = expression(*when, "when");
    for (const TomlValue& one : list(*args, kMostArguments, "args")) out.args.push_back(argument(one));
    return out;
  }

  NameTemplate name_template(const std::string& text, int line) const {
    NameTemplate out;
    std::string* tail = &out.begin;
    for (std::size_t at = 0; at < text.size();) {
      if (text[at] != '{') {
        *tail += text[at++];
        continue;
      }
      const std::size_t end = text.find('}', at);
      if (end == std::string::npos) refuse(line, "kernel: a { without its }");
      out.rest.emplace_back(parsed(text.substr(at + 1, end - at - 1), line, "kernel"), "");
      tail = &out.rest.back().second;
      at = end + 1;
    }
    if (trim(text).empty()) refuse(line, "kernel is empty");
    return out;
  }

  DescribedArgument argument(const TomlValue& value) const {
    if (value.text() == nullptr) return {"constant", expression(value, "args"), {}};
    DescribedArgument out;
    out.text = std::string(trim(*value.text()));
    for (const DType as : {DType::f16, DType::bf16, DType::f32, DType::f64}) {
      const std::string head = std::string(name_of(as)) + "(";
      if (!out.text.starts_with(head) || !out.text.ends_with(')')) continue;
      out.as = as;
      out.value = parsed(out.text.substr(head.size(), out.text.size() - head.size() - 1), value.line, "args");
      return out;
    }
    out.value = parsed(out.text, value.line, "args");
    return out;
  }

  int before_;
};

}  // namespace

const DescribedEntry* LaunchDescription::find(std::string_view entry) const {
  for (const DescribedEntry& described : entries)
    if (std::find(described.names.begin(), described.names.end(), entry) != described.names.end())
      return &described;
  return nullptr;
}

ReadDescription read_launch_description(std::string_view source) {
  const std::optional<Block> block = find_block(source);
  if (!block)
    return {
        {},
        "the file holds no launch description: a comment that begins with /* kgbench on a line of its own "
        "and says how the kernels are launched",
        1};
  const Result<TomlTable> root = parse_toml(block->text);
  if (!root.ok()) {
    // "LINE: what"
    const std::string& message = root.error().message;
    const std::size_t colon = message.find(": ");
    const auto line = parse_int(message.substr(0, std::min(colon, message.size())));
    return {{},
            "the launch description is no TOML: " + (line ? message.substr(colon + 2) : message),
            static_cast<int>(line.value_or(1)) + block->before};
  }
  try {
    return {Reader(block->before).read(*root), {}, 0};
  } catch (const Refused& refused) {
    return {{}, "the launch description: " + refused.what, refused.line};
  }
}

}  // namespace kgb
