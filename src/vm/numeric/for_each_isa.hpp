// SPDX-License-Identifier: Apache-2.0
// Includes KGB_KERNELS once per instruction set, in namespaces baseline, avx2 and avx512. No include guard.
//
// Target pragmas, not compile flags: an inline function of the standard library that is emitted in a file
// compiled with -mavx512f may be the copy that the linker keeps for everybody.

// Before a loop whose iterations do not depend on each other (out may be an input, element by element).
#if defined(__clang__)
#define KGB_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define KGB_INDEPENDENT _Pragma("GCC ivdep")
#endif

#define KGB_ISA_LEVEL 0
namespace kgb::vm::numeric::baseline {
#include KGB_KERNELS
}
#undef KGB_ISA_LEVEL

#if defined(__x86_64__)
#define KGB_ISA_LEVEL 2
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#endif
namespace kgb::vm::numeric::avx2 {
#include KGB_KERNELS
}
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef KGB_ISA_LEVEL

#define KGB_ISA_LEVEL 3
#if defined(__clang__)
#pragma clang attribute push(                                                                          \
    __attribute__((target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma,f16c,bmi,bmi2,lzcnt,popcnt")
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")
#endif
namespace kgb::vm::numeric::avx512 {
#include KGB_KERNELS
}
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#undef KGB_ISA_LEVEL

// The value of `call` in the namespace of the active instruction set.
#define KGB_DISPATCH(call) \
  (active_isa() == Isa::avx512 ? avx512::call : active_isa() == Isa::avx2 ? avx2::call : baseline::call)
#else
#define KGB_DISPATCH(call) (baseline::call)
#endif
