// SPDX-License-Identifier: Apache-2.0
// Reads the table of prices and looks models up in it.
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.hpp"
#include "llm/prices.hpp"
#include "llm/server_json.hpp"

namespace kgb::llm {
namespace {

using Json = nlohmann::json;

// Dollars; `fallback` where the row has none. A negative or endless price is the row's mistake.
Result<double> dollars_in(const Json& row, const char* key, std::optional<double> fallback) {
  const Json* value = member(row, key);
  if (value == nullptr && fallback) return *fallback;
  if (value == nullptr || !value->is_number() || !std::isfinite(value->get<double>()) ||
      value->get<double>() < 0)
    return user_error(std::string(key) + ": must be dollars for a million tokens");
  return value->get<double>();
}

Status add_row(const Json& row, std::vector<Price>& prices) {
  Price price;
  KGB_TRY(price.prompt, dollars_in(row, "prompt", std::nullopt));
  KGB_TRY(price.completion, dollars_in(row, "completion", std::nullopt));
  // Where no discount is told there is none.
  KGB_TRY(price.cached, dollars_in(row, "cached", price.prompt));
  KGB_TRY(price.cache_write, dollars_in(row, "cache_write", price.prompt));
  price.date = text_in(row, "date");
  price.source = text_in(row, "source");
  if (price.date.empty() || price.source.empty())
    return user_error("date, source: must say when and where the price was read");
  const Json* models = member(row, "models");
  if (models == nullptr || !models->is_array() || models->empty())
    return user_error("models: must be a list of names, or of prefixes that end in *");
  for (const Json& model : *models) {
    if (!model.is_string() || model.get_ref<const std::string&>().empty())
      return user_error("models: must be a list of names, or of prefixes that end in *");
    price.model = model.get<std::string>();
    prices.push_back(price);
  }
  return ok_status();
}

}  // namespace

Result<std::vector<Price>> load_prices(const std::filesystem::path& file) {
  KGB_TRY(const std::string text, read_text_file(file));
  const std::optional<Json> json = parse_json(text);
  const Json* rows = json ? member(*json, "prices") : nullptr;
  if (rows == nullptr || !rows->is_array())
    return user_error(file.string() + ": must be a JSON object with a list `prices` (docs/models.md)");
  std::vector<Price> prices;
  for (std::size_t i = 0; i < rows->size(); ++i)
    if (const Status added = add_row((*rows)[i], prices); !added.ok())
      return user_error(file.string() + ": prices[" + std::to_string(i) + "]: " + added.error().message);
  return prices;
}

const Price* price_of(const std::vector<Price>& prices, const std::string& model) {
  const Price* best = nullptr;
  for (const Price& price : prices) {
    if (price.model == model) return &price;
    const std::string_view prefix = std::string_view(price.model).substr(0, price.model.size() - 1);
    if (price.model.back() != '*' || !model.starts_with(prefix)) continue;
    if (best == nullptr || price.model.size() > best->model.size()) best = &price;
  }
  return best;
}

std::optional<double> dollars(const std::vector<Price>& prices, const std::string& model,
                              const Usage& usage) {
  const Price* price = price_of(prices, model);
  if (price == nullptr || !usage.known) return std::nullopt;
  const std::int64_t fresh = usage.prompt - usage.cached - usage.cache_write;
  return (static_cast<double>(fresh) * price->prompt + static_cast<double>(usage.cached) * price->cached +
          static_cast<double>(usage.cache_write) * price->cache_write +
          static_cast<double>(usage.completion) * price->completion) /
         1e6;
}

}  // namespace kgb::llm
