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

class Catalogue {
 public:
  // `folder` holds operators/<source>/<op>/card.toml, chips/<chip>.toml and, optionally,
  // families/<family>.toml and suites.toml. The error holds every problem found, one line each: "file:line:
  // key: what is wrong".
  // `more`: folders with operators of a user's own, <source>/<op>/card.toml; a name twice is an error.
  // `only`: operators as find() takes them; the cards of all others are not read, as if they were not there,
  // which is most of the time that loading takes. Empty: all.
  [[nodiscard]] static Result<Catalogue> load(const std::filesystem::path& folder,
                                              const std::vector<std::filesystem::path>& more = {},
                                              const std::vector<std::string>& only = {});
  // The chips alone.
  [[nodiscard]] static Result<std::vector<ChipCard>> load_chips(
      const std::filesystem::path& folder, const std::vector<std::filesystem::path>& more = {});

  [[nodiscard]] const std::vector<Operator>& operators() const { return data_->operators; }  // sorted by name
  // "aten::softmax", or "softmax" where one source alone has it. The error suggests what may be meant.
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

  [[nodiscard]] const std::vector<ChipCard>& chips() const { return data_->chips; }
  [[nodiscard]] Result<const ChipCard*> chip(std::string_view name) const;

 private:
  struct Data {
    std::vector<Operator> operators;
    std::vector<ChipCard> chips;
    std::vector<std::string> demo;   // names, from suites.toml
    std::vector<std::string> names;  // of all operators that have a folder, read or not
  };
  std::shared_ptr<const Data> data_ = std::make_shared<const Data>();
};

}  // namespace kgb
