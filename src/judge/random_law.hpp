// SPDX-License-Identifier: Apache-2.0
// Distributions of random operators, and samples of them brought to one scale on which all are tested alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/dtype.hpp"

namespace kgb {

// What the oracle says of one output's elements, each with parameters of its own (rule of `Expected`).
//   bernoulli    P(1) = a
//   uniform      on [a, b]; a == b: the element is no sample and must be a
//   exponential  rate a
//   poisson      mean a; a == 0: must be 0
enum class Law : std::uint8_t { bernoulli, uniform, exponential, poisson };
[[nodiscard]] std::optional<Law> law_from_text(std::string_view rule);

// Samples on a scale where mean and variance are known. Bernoulli samples stay as they are; the others go
// through their distribution function, so that right ones are uniform on (0, 1): M. Rosenblatt, Ann. Math.
// Stat. 23 (1952). A jump of the function (Poisson) is filled evenly by a fixed generator, and so is half a
// unit in the last place about each sample, which is what rounding to `dtype` hides.
struct Standardised {
  std::vector<double> values, means, variances;  // variance 0: the value must be the mean
  std::optional<std::string> impossible;         // a value that the law never gives, as a sentence
};
// `a`, `b`: one per sample; `b` is read for uniform alone.
[[nodiscard]] Standardised standardise(Law law, std::span<const double> samples, std::span<const double> a,
                                       std::span<const double> b, DType dtype);

// Whether values that should be uniform on (0, 1) are spread over it: chi-square over 32 bins, brought to a
// normal deviate by Wilson and Hilferty's cube root. 0 with fewer than 640 values.
[[nodiscard]] double uniformity_z(std::span<const double> values);

}  // namespace kgb
