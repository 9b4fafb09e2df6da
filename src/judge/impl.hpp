// SPDX-License-Identifier: Apache-2.0
// What a judge holds.
#pragma once

#include <memory>

#include "catalogue/catalogue.hpp"
#include "judge/judge.hpp"
#include "judge/processes.hpp"

namespace kgb {

struct Judge::Impl {
  JudgeSetup setup;
  Catalogue catalogue;
  std::unique_ptr<Processes> processes;
};

}  // namespace kgb
