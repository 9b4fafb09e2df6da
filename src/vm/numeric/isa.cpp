// SPDX-License-Identifier: Apache-2.0
// Detects the processor's instruction set once.
#include "vm/numeric/isa.hpp"

#include <atomic>
#include <cstdlib>
#include <optional>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace kgb::vm::numeric {
namespace {

#if defined(__x86_64__)
// Not every compiler's __builtin_cpu_supports knows the name.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}
#endif

std::optional<Isa> isa_named(std::string_view name) {
  for (Isa isa : {Isa::baseline, Isa::avx2, Isa::avx512})
    if (name == name_of(isa)) return isa;
  return std::nullopt;
}

Isa choose() {
  Isa best = Isa::baseline;
  for (Isa isa : {Isa::avx2, Isa::avx512})
    if (supported(isa)) best = isa;
  const char* wish = std::getenv("KGB_VM_ISA");
  if (wish == nullptr) return best;
  const std::optional<Isa> wanted = isa_named(wish);
  return wanted && supported(*wanted) ? *wanted : best;
}

std::atomic<Isa>& current() {
  static std::atomic<Isa> isa{choose()};
  return isa;
}

}  // namespace

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
    case Isa::baseline:
      break;
  }
  return "baseline";
}

bool supported(Isa isa) {
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c() &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (isa == Isa::avx512) return avx512;
  if (isa == Isa::avx2) return avx2;
#endif
  return isa == Isa::baseline;
}

Isa active_isa() {
  return current().load(std::memory_order_relaxed);
}

bool use_isa(Isa isa) {
  if (!supported(isa)) return false;
  current().store(isa, std::memory_order_relaxed);
  return true;
}

}  // namespace kgb::vm::numeric
