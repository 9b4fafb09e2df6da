// SPDX-License-Identifier: Apache-2.0
// The evaluations that can be asked about.
#include "serve/workbench.hpp"

#include <span>

#include "base/fd.hpp"
#include "base/hash.hpp"

namespace kgb::serve {
namespace {

constexpr std::size_t kMostKept = 64, kNameBytes = 8;

}  // namespace

Result<std::string> Workbench::keep(Evaluation evaluation) {
  KGB_TRY(const std::string random, random_bytes(kNameBytes));
  const std::string name =
      hex(std::span(reinterpret_cast<const std::uint8_t*>(random.data()), random.size()));
  const std::lock_guard lock(mutex_);
  kept_.emplace_back(name, std::move(evaluation));
  if (kept_.size() > kMostKept) kept_.pop_front();
  return name;
}

std::optional<Evaluation> Workbench::kept(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, evaluation] : kept_)
    if (known == name) return evaluation;
  return std::nullopt;
}

}  // namespace kgb::serve
