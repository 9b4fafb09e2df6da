// SPDX-License-Identifier: Apache-2.0
// All cards: operators, their workloads and bounds, suites and chips. The catalogue never changes after
// loading; copies share what was loaded.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "catalogue/chip.hpp"
#include "catalogue/operator.hpp"
#include "model/compare.hpp"

namespace kgb {

// An operator whose card cannot be used. What could be read of it stands in `op`; its name is its folder's.
struct BrokenOperator {
  Operator op;
  std::vector<std::string> problems;  // "file:line: key: what is wrong", at least one
  // "aten::x is left out: file:line: key: what is wrong (and 2 more: kgbench list --check)"
  [[nodiscard]] std::string summary() const;
};

class Catalogue {
 public:
  // `folder` holds operators/<source>/<op>/card.toml, chips/<chip>.toml and, optionally,
  // families/<family>.toml and suites.toml. A card that is wrong, or the family that it names, or a name that
  // two folders have, leaves that operator out (broken()). The error holds every problem of chips, suites and
  // folders, one line each: "file:line: key: what is wrong".
  // `more`: folders with operators of a user's own, <source>/<op>/card.toml.
  // `only`: operators as find() takes them; the cards of all others are not read, as if they were not there,
  // which is most of the time that loading takes. Empty: all.
  [[nodiscard]] static Result<Catalogue> load(const std::filesystem::path& folder,
                                              const std::vector<std::filesystem::path>& more = {},
                                              const std::vector<std::string>& only = {});
  // The chips alone.
  [[nodiscard]] static Result<std::vector<ChipCard>> load_chips(
      const std::filesystem::path& folder, const std::vector<std::filesystem::path>& more = {});

  [[nodiscard]] const std::vector<Operator>& operators() const { return data_->operators; }  // sorted by name
  [[nodiscard]] const std::vector<BrokenOperator>& broken() const { return data_->broken; }  // sorted by name
  [[nodiscard]] const BrokenOperator* find_broken(std::string_view name) const;  // as find(); null: not so
  // "aten::softmax", or "softmax" where one source alone has it. The error suggests what may be meant, and of
  // a broken operator holds its problems.
  [[nodiscard]] Result<const Operator*> find(std::string_view name) const;

  // Workloads of a tier; tier hidden has none here.
  [[nodiscard]] std::vector<Workload> workloads(const Operator& op, Tier tier) const;
  // Drawn with a secret seed: the same for the same seed and card. The error names the template that cannot
  // be drawn.
  [[nodiscard]] Result<std::vector<Workload>> hidden(const Operator& op, std::uint64_t seed) const;

  // The error model of the call's entry with every expression resolved.
  [[nodiscard]] Result<ErrorBound> error_for(const Operator& op, const Call& call) const;
  [[nodiscard]] Result<Cost> cost_for(const Operator& op, const Call& call) const;

  // A suite's operators in order of name. Suites: ms, mc, kernels, demo, one for each source, one for each
  // tag.
  [[nodiscard]] Result<std::vector<const Operator*>> suite(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> suite_names() const;
  // What a suite would have besides, were its cards sound; of those that nothing could be read of, no tag is
  // known.
  [[nodiscard]] std::vector<const BrokenOperator*> broken_in(std::string_view suite) const;

  [[nodiscard]] const std::vector<ChipCard>& chips() const { return data_->chips; }
  [[nodiscard]] Result<const ChipCard*> chip(std::string_view name) const;

 private:
  struct Data {
    std::vector<Operator> operators;
    std::vector<BrokenOperator> broken;
    std::vector<ChipCard> chips;
    std::vector<std::string> demo;   // names, from suites.toml
    std::vector<std::string> names;  // of all operators that have a folder, read or not
  };
  [[nodiscard]] bool is_in(const Operator& op, std::string_view suite) const;
  std::shared_ptr<const Data> data_ = std::make_shared<const Data>();
};

}  // namespace kgb
