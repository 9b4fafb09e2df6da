// SPDX-License-Identifier: Apache-2.0
// Reads chip cards.
#include "catalogue/chip.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "fmt/format.h"

namespace kgb {
namespace {

// Facts that the author and the compiler ask for (python/kgbench/author/chips.py); others are allowed.
constexpr const char* kRequired[] = {
    "multiprocessors",    "warp_size", "memory_bytes",          "shared_bytes",
    "shared_optin_bytes", "registers", "max_threads_per_block", "max_threads_per_multiprocessor"};

void read_facts(TableReader& reader, ChipCard& chip) {
  const TomlTable* facts = reader.table("facts");
  if (facts == nullptr) {
    if (chip.impersonates.empty()) reader.problem(nullptr, "facts", "a chip card needs [facts]");
    return;
  }
  for (const TomlItem& item : facts->items) {
    const auto* value = std::get_if<std::int64_t>(&item.value.data);
    if (value == nullptr || *value <= 0) {
      reader.problem(&item.value, "facts." + item.key, "must be a positive integer");
    } else {
      chip.facts[item.key] = *value;
    }
  }
  for (const char* key : kRequired) {
    if (facts->find(key) == nullptr)
      reader.problem(reader.raw().find("facts"), fmt::format("facts.{}", key), "is missing");
  }
}

void read_peak(TableReader& reader, ChipCard& chip) {
  const TomlTable* peak = reader.table("peak");
  if (peak == nullptr) return;
  TableReader inner(*peak, reader.raw().find("peak")->line, "peak", reader.problems());
  chip.peak_source = inner.text("source", true);
  for (const TomlItem& item : peak->items) {
    if (item.key == "source") continue;
    const double value = inner.number(item.key, 0);
    if (!(value > 0) || !std::isfinite(value))
      inner.problem(&item.value, item.key, "must be a positive number");
    chip.peak[item.key] = value;
  }
}

}  // namespace

std::int64_t ChipCard::fact(const std::string& fact_name) const {
  const auto it = facts.find(fact_name);
  return it == facts.end() ? 0 : it->second;
}

ChipCard read_chip(const TomlTable& table, const std::string& stem, Problems& problems) {
  ChipCard chip;
  TableReader reader(table, 1, "", problems);
  const TomlValue* name = reader.find("name");
  chip.name = reader.text("name", true);
  if (!chip.name.empty() && chip.name != stem) {
    reader.problem(name, "name",
                   fmt::format("is {}, but the file is called {}", in_quotes(chip.name), in_quotes(stem)));
  }
  chip.name = stem;  // messages about it name the file, whatever the card says
  const TomlValue* kind = reader.find("kind");
  chip.kind = reader.text("kind", true);
  if (!chip.kind.empty() && chip.kind != "chip" && chip.kind != "target") {
    reader.problem(kind, "kind", "must be \"chip\" or \"target\"");
  }
  chip.vendor = reader.text("vendor");
  chip.device_name = reader.text("device_name", true);
  chip.backend = reader.text("backend", true);
  chip.arch = reader.text("arch");
  chip.capability = reader.text("capability");
  chip.impersonates = reader.text("impersonates");
  chip.targets = reader.texts("targets");
  read_facts(reader, chip);
  read_peak(reader, chip);
  reader.finish();
  return chip;
}

}  // namespace kgb
