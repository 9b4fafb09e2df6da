// SPDX-License-Identifier: Apache-2.0
// Why candidates fail, in a few classes that people compare contestants by.
#pragma once

#include <optional>
#include <string_view>

#include "report/report.hpp"

namespace kgb {

enum class FailureClass {
  no_code,
  syntax,
  invented_api,
  does_not_compile,
  exception,
  contract,
  wrong_value,
  wrong_nonfinite,
  never_written,
  wrong_random,
  too_fast,
  memory,
  race,
  undefined,
  launch,
  timeout,
  out_of_memory,
  fallback,
  tampering,
  unsupported,
  other,
};
[[nodiscard]] std::string_view name_of(FailureClass failure);  // "wrong value: NaN or infinity"

// The class of a kind of finding; nullopt for advice, and for infra, which is nobody's failure.
[[nodiscard]] std::optional<FailureClass> failure_class_of(std::string_view finding_kind);
// Why an evaluation is no pass; nullopt for passes and infra. A name that the libraries do not have is told
// from other exceptions and errors of compilers by what Python says of it.
[[nodiscard]] std::optional<FailureClass> failure_of(const StoredEvaluation& stored);

}  // namespace kgb
