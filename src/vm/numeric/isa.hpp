// SPDX-License-Identifier: Apache-2.0
// Which instruction set the numeric kernels use.
#pragma once

#include <cstdint>
#include <string_view>

namespace kgb::vm::numeric {

// baseline: x86-64 (or any other processor); avx2: AVX2, FMA, F16C; avx512: F, BW, DQ, VL on top.
enum class Isa : std::uint8_t { baseline, avx2, avx512 };

// The best that this processor has, or less if the environment variable KGB_VM_ISA names one. Fixed after the
// first call, but for use_isa.
[[nodiscard]] Isa active_isa();
[[nodiscard]] std::string_view name_of(Isa isa);
[[nodiscard]] bool supported(Isa isa);
// For tests and benchmarks: kernels resolved afterwards use `isa`. False, and no change, if unsupported.
bool use_isa(Isa isa);

}  // namespace kgb::vm::numeric
