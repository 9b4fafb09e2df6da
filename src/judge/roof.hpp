// SPDX-License-Identifier: Apache-2.0
// How near a call came to the least time that the device's peaks allow for the work its card names.
#pragma once

#include <optional>

#include "catalogue/error_model.hpp"
#include "judge/peaks.hpp"
#include "model/call.hpp"
#include "model/conditions.hpp"

namespace kgb {

// Least time: the card's bytes over the bandwidth, or its FLOPs over the rate of the call's fastest type,
// whichever is longer. Nullopt: the card names no work, or a rate that it needs is unknown. Products of f32
// are held against IEEE f32, not TF32: the judge accepts no TF32 there.
[[nodiscard]] std::optional<RoofShare> roof_share(const Cost& cost, const Call& call, const Peaks& peaks,
                                                  double seconds);

}  // namespace kgb
