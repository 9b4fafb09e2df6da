// SPDX-License-Identifier: Apache-2.0
// What tokens cost, from a data file with date and source (catalogue/prices.json).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "llm/usage.hpp"

namespace kgb::llm {

struct Price {        // US dollars for a million tokens
  std::string model;  // a name, or a prefix that ends in '*'
  double prompt = 0, cached = 0, cache_write = 0, completion = 0;
  std::string date, source;
};
[[nodiscard]] Result<std::vector<Price>> load_prices(const std::filesystem::path& file);
// The row of this very name, else the longest prefix that fits; nullptr: not priced.
[[nodiscard]] const Price* price_of(const std::vector<Price>& prices, const std::string& model);
// nullopt: the price or the usage is unknown, and so is the cost.
[[nodiscard]] std::optional<double> dollars(const std::vector<Price>& prices, const std::string& model,
                                            const Usage& usage);

}  // namespace kgb::llm
