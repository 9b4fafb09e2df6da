// SPDX-License-Identifier: Apache-2.0
// Finds cards by their folders, loads them all, and answers questions about them.
#include "catalogue/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "base/files.hpp"
#include "base/text.hpp"
#include "catalogue/expand.hpp"
#include "fmt/format.h"

namespace kgb {
namespace fs = std::filesystem;
namespace {

class Loader {
 public:
  // `folder` may end in a slash. `only`: as Catalogue::load takes it.
  explicit Loader(const fs::path& folder, std::vector<std::string> only = {}) : only_(std::move(only)) {
    folder_ = folder.lexically_normal();
    if (!folder_.has_filename()) folder_ = folder_.parent_path();
  }

  // Every operator that a folder holds, sound or not.
  std::vector<BrokenOperator> operators(const std::vector<fs::path>& more) {
    std::vector<BrokenOperator> out;
    load_below(folder_ / "operators", out);
    for (const fs::path& root : more) load_below(root, out);
    std::stable_sort(out.begin(), out.end(),
                     [](const BrokenOperator& a, const BrokenOperator& b) { return a.op.name < b.op.name; });
    for (std::size_t i = 1; i < out.size(); ++i) {
      if (out[i].op.name != out[i - 1].op.name) continue;
      // Nobody knows which of them is meant.
      out[i].problems.push_back(fmt::format("{}:1: name: {} is an operator already, in {}",
                                            shown(out[i].op.folder / "card.toml"), out[i].op.name,
                                            shown(out[i - 1].op.folder)));
      std::move(out[i - 1].problems.begin(), out[i - 1].problems.end(), std::back_inserter(out[i].problems));
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(--i));
    }
    return out;
  }

  void load_below(const fs::path& root, std::vector<BrokenOperator>& out) {
    for (const std::string& source : folders(root)) {
      for (const std::string& name : folders(root / source)) {
        const fs::path folder = root / source / name;
        std::error_code ignored;
        if (!fs::exists(folder / "card.toml", ignored)) continue;
        names_.push_back(source + "::" + name);
        if (wanted(names_.back(), name)) out.push_back(load_operator(folder));
      }
    }
  }

  std::vector<ChipCard> chips(const std::vector<fs::path>& more) {
    std::vector<ChipCard> out;
    chips_in(folder_ / "chips", out);
    for (const fs::path& root : more) chips_in(root / "chips", out);
    lend_facts(out);
    return out;
  }

  void chips_in(const fs::path& root, std::vector<ChipCard>& out) {
    const auto names = list_folder(root);
    if (!names.ok()) return;
    for (const std::string& name : *names) {
      const fs::path path = root / name;
      if (path.extension() != ".toml") continue;
      Problems problems(shown(path));
      if (const auto table = read(path, problems))
        out.push_back(read_chip(*table, path.stem().string(), problems));
      keep(problems);
    }
  }

  std::vector<std::string> demo() {
    const fs::path path = folder_ / "suites.toml";
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return {};
    Problems problems(shown(path));
    std::vector<std::string> names;
    if (const auto table = read(path, problems)) {
      TableReader reader(*table, 1, "", problems);
      const TomlValue* given = reader.find("demo");
      names = reader.texts("demo");
      for (const std::string& name : names) {
        if (std::find(names_.begin(), names_.end(), name) == names_.end()) {
          reader.problem(given, "demo",
                         fmt::format("{} is no operator{}", in_quotes(name), did_you_mean(name, names_)));
        }
      }
      reader.finish();
    }
    keep(problems);
    return names;
  }

  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  [[nodiscard]] bool wanted(const std::string& full, const std::string& bare) const {
    return only_.empty() || std::any_of(only_.begin(), only_.end(),
                                        [&](const std::string& one) { return one == full || one == bare; });
  }

  // Relative to the catalogue's parent: "catalogue/operators/aten/add/card.toml" whatever the machine.
  [[nodiscard]] std::string shown(const fs::path& path) const {
    const fs::path below = path.lexically_relative(folder_);
    if (below.empty() || *below.begin() == "..") return path.generic_string();  // a user's own
    return (folder_.filename() / path.lexically_relative(folder_)).generic_string();
  }

  std::vector<std::string> folders(const fs::path& root) {
    std::vector<std::string> out;
    const auto names = list_folder(root);
    if (!names.ok()) {
      problems_.push_back(fmt::format("{}:1: {}", shown(root), names.error().message));
      return out;
    }
    for (const std::string& name : *names) {
      std::error_code ignored;
      if (fs::is_directory(root / name, ignored)) out.push_back(name);
    }
    return out;
  }

  std::optional<TomlTable> read(const fs::path& path, Problems& problems) {
    const auto text = read_file(path, kMaxTomlBytes);
    if (!text.ok()) {
      problems.add(1, "", text.error().message);
      return std::nullopt;
    }
    auto table = parse_toml(*text);
    if (table.ok()) return std::move(table).value();
    const std::string& message = table.error().message;  // "LINE: what"
    const std::size_t colon = message.find(": ");
    const auto line = parse_int(message.substr(0, colon));
    problems.add(line ? static_cast<int>(*line) : 1, "", message.substr(colon + 2));
    return std::nullopt;
  }

  BrokenOperator load_operator(const fs::path& folder) {
    const fs::path path = folder / "card.toml";
    Problems problems(shown(path));
    BrokenOperator out;
    if (const auto table = read(path, problems)) {
      const TomlValue* value = table->find("family");
      const std::string* name = value != nullptr ? value->text() : nullptr;
      const LoadedFamily& family = family_named(name != nullptr ? *name : "");
      out.op = read_card(*table, folder, family.family, problems);
      out.problems = family.problems;
    }
    out.op.folder = folder;
    out.op.name = fmt::format("{}::{}", folder.parent_path().filename().string(), folder.filename().string());
    std::error_code ignored;
    out.op.has_expert = fs::exists(folder / "expert.py", ignored);
    out.op.has_native_expert = fs::exists(folder / "expert.cpp", ignored);
    if (!fs::exists(folder / "reference.py", ignored))
      problems.add(1, "", "the folder has no reference.py, so nothing says what is right");
    out.problems.insert(out.problems.begin(), problems.lines().begin(), problems.lines().end());
    return out;
  }

  struct LoadedFamily {
    Family family;
    std::vector<std::string> problems;
  };

  const LoadedFamily& family_named(const std::string& name) {
    const auto it = families_.find(name);
    if (it != families_.end()) return it->second;
    LoadedFamily loaded;
    loaded.family.name = name;
    const fs::path path = folder_ / "families" / (name + ".toml");
    std::error_code ignored;
    const bool plain = !name.empty() && name.find('/') == std::string::npos && name.size() < 100;
    if (plain && fs::exists(path, ignored)) {
      Problems problems(shown(path));
      if (const auto table = read(path, problems)) read_family(*table, loaded.family, problems);
      loaded.problems = problems.lines();
    }
    return families_.emplace(name, std::move(loaded)).first->second;
  }

  static void read_family(const TomlTable& table, Family& family, Problems& problems) {
    TableReader reader(table, 1, "", problems);
    const auto domains = [&](const char* key) {
      const TomlValue* given = reader.find(key);
      std::vector<std::string> texts = reader.texts(key);
      for (const std::string& text : texts) {
        const auto parsed = parse_domain(text);
        if (!parsed.ok()) reader.problem(given, key, parsed.error().message);
        if (parsed.ok() && parsed->kind.starts_with("any_")) reader.problem(given, key, "cannot name itself");
      }
      return texts;
    };
    family.any_float = domains("any_float");
    family.any_int = domains("any_int");
    family.any_finite = domains("any_finite");
    reader.finish();
  }

  // Chips without a Triton backend show host code another chip's facts.
  void lend_facts(std::vector<ChipCard>& chips) {
    for (ChipCard& chip : chips) {
      if (chip.impersonates.empty()) continue;
      const auto it = std::find_if(chips.begin(), chips.end(),
                                   [&](const ChipCard& other) { return other.name == chip.impersonates; });
      if (it == chips.end() || !it->impersonates.empty()) {
        problems_.push_back(fmt::format("{}:1: impersonates: {} is no chip with facts of its own",
                                        shown(folder_ / "chips" / (chip.name + ".toml")),
                                        in_quotes(chip.impersonates)));
        continue;
      }
      chip.facts = it->facts;
      chip.capability = it->capability;
    }
  }

  void keep(const Problems& problems) {
    problems_.insert(problems_.end(), problems.lines().begin(), problems.lines().end());
  }

  fs::path folder_;
  std::vector<std::string> only_;
  std::vector<std::string> names_;  // of the folders with cards
  std::map<std::string, LoadedFamily> families_;
  std::vector<std::string> problems_;
};

// Whether a name, whole or without its source, is this operator's.
bool is_called(const Operator& op, std::string_view name) {
  if (name == op.name) return true;
  return name == std::string_view(op.name).substr(op.name.find("::") + 2);
}

}  // namespace

std::string BrokenOperator::summary() const {
  const std::string rest =
      problems.size() == 1 ? "" : fmt::format(" (and {} more: kgbench list --check)", problems.size() - 1);
  return fmt::format("{} is left out: {}{}", op.name, problems.front(), rest);
}

Result<Catalogue> Catalogue::load(const fs::path& folder, const std::vector<fs::path>& more,
                                  const std::vector<std::string>& only) {
  Loader loader(folder, only);
  Data data;
  for (BrokenOperator& one : loader.operators(more)) {
    if (one.problems.empty())
      data.operators.push_back(std::move(one.op));
    else
      data.broken.push_back(std::move(one));
  }
  data.chips = loader.chips(more);
  data.demo = loader.demo();
  data.names = loader.names();
  if (!loader.problems().empty()) return user_error(join(loader.problems(), "\n"));
  Catalogue out;
  out.data_ = std::make_shared<const Data>(std::move(data));
  return out;
}

Result<std::vector<ChipCard>> Catalogue::load_chips(const fs::path& folder,
                                                    const std::vector<fs::path>& more) {
  Loader loader(folder);
  std::vector<ChipCard> chips = loader.chips(more);
  if (!loader.problems().empty()) return user_error(join(loader.problems(), "\n"));
  return chips;
}

const BrokenOperator* Catalogue::find_broken(std::string_view name) const {
  const auto it = std::find_if(data_->broken.begin(), data_->broken.end(),
                               [name](const BrokenOperator& one) { return is_called(one.op, name); });
  return it == data_->broken.end() ? nullptr : &*it;
}

Result<const Operator*> Catalogue::find(std::string_view name) const {
  std::vector<const Operator*> matches;
  std::vector<std::string> known;
  const bool bare = name.find("::") == std::string_view::npos;
  const auto short_name = [](std::string_view full) { return full.substr(full.find("::") + 2); };
  for (const Operator& op : data_->operators)
    if (is_called(op, name)) matches.push_back(&op);
  for (const std::string& full : data_->names) {
    known.push_back(full);
    if (bare) known.emplace_back(short_name(full));
  }
  if (const BrokenOperator* broken = find_broken(name))
    return user_error(fmt::format("{} cannot be used, its card is broken:\n{}", broken->op.name,
                                  join(broken->problems, "\n")));
  if (matches.size() == 1) return matches[0];
  if (matches.size() > 1) {
    std::vector<std::string> all;
    for (const Operator* op : matches) all.push_back(op->name);
    return user_error(fmt::format("{} is ambiguous: {}", name, join(all, ", ")));
  }
  std::vector<std::string> near;
  std::vector<std::string> matching = close_matches(name, known);
  if (matching.empty() && name.size() >= 4) {  // "attention" for paged_attention_v1
    const auto holds = [name](const std::string& full) { return full.find(name) != std::string::npos; };
    std::copy_if(data_->names.begin(), data_->names.end(), std::back_inserter(matching), holds);
    matching.resize(std::min<std::size_t>(matching.size(), 3));
  }
  for (const std::string& match : matching) {
    const auto is_meant = [&](const std::string& full) { return short_name(full) == match; };
    const auto full = std::find_if(data_->names.begin(), data_->names.end(), is_meant);
    const bool one = full != data_->names.end() && std::none_of(full + 1, data_->names.end(), is_meant);
    const std::string shown = one ? *full : match;
    if (std::find(near.begin(), near.end(), shown) == near.end()) near.push_back(shown);
  }
  const std::string hint = near.empty() ? "" : fmt::format("  Did you mean {}?", join(near, " or "));
  return user_error(
      fmt::format("{} is no operator.{}  (kgbench list)", cut_utf8(to_utf8_lossy(name), 100), hint));
}

std::vector<Workload> Catalogue::workloads(const Operator& op, Tier tier) const {
  std::vector<Workload> out;
  for (const Workload& workload : op.fixed) {
    if (workload.tier == tier) out.push_back(workload);
  }
  return out;
}

Result<std::vector<Workload>> Catalogue::hidden(const Operator& op, std::uint64_t seed) const {
  Problems problems((op.folder / "card.toml").generic_string());
  std::vector<Workload> out = draw_hidden(op, seed, problems);
  if (!problems.empty()) return user_error(join(problems.lines(), "\n"));
  return out;
}

Result<ErrorBound> Catalogue::error_for(const Operator& op, const Call& call) const {
  const Entry* entry = op.find_entry(call.entry);
  if (entry == nullptr) return user_error(fmt::format("{} has no entry {}", op.name, in_quotes(call.entry)));
  return resolve(error_model_of(op, *entry), call);
}

Result<Cost> Catalogue::cost_for(const Operator& op, const Call& call) const {
  const Entry* entry = op.find_entry(call.entry);
  if (entry == nullptr) return user_error(fmt::format("{} has no entry {}", op.name, in_quotes(call.entry)));
  return resolve(entry->cost ? *entry->cost : op.cost, call);
}

std::vector<std::string> Catalogue::suite_names() const {
  std::set<std::string> names{"ms", "mc", "kernels", "demo"};
  for (const Operator& op : data_->operators) {
    names.insert(op.group());
    names.insert(op.tags.begin(), op.tags.end());
  }
  for (const BrokenOperator& one : data_->broken) names.insert(one.op.group());
  return {names.begin(), names.end()};
}

bool Catalogue::is_in(const Operator& op, std::string_view suite) const {
  const std::vector<std::string>& chosen = data_->demo;
  const bool demo = chosen.empty() || std::find(chosen.begin(), chosen.end(), op.name) != chosen.end();
  return suite == "ms" || (suite == "demo" && demo) || (suite == "kernels" && !op.tagged("no_kernel")) ||
         op.group() == suite || op.tagged(suite);
}

Result<std::vector<const Operator*>> Catalogue::suite(std::string_view name) const {
  const std::vector<std::string> names = suite_names();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    return user_error(fmt::format("{} is no suite{}", in_quotes(name), did_you_mean(name, names)));
  }
  std::vector<const Operator*> out;
  for (const Operator& op : data_->operators) {
    if (is_in(op, name)) out.push_back(&op);
  }
  return out;
}

std::vector<const BrokenOperator*> Catalogue::broken_in(std::string_view suite) const {
  std::vector<const BrokenOperator*> out;
  for (const BrokenOperator& one : data_->broken) {
    if (is_in(one.op, suite)) out.push_back(&one);
  }
  return out;
}

Result<const ChipCard*> Catalogue::chip(std::string_view name) const {
  std::vector<std::string> known;
  for (const ChipCard& chip : data_->chips) {
    if (chip.name == name) return &chip;
    known.push_back(chip.name);
  }
  return user_error(fmt::format("{} is no chip{}", in_quotes(name), did_you_mean(name, known)));
}

}  // namespace kgb
