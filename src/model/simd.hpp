// SPDX-License-Identifier: Apache-2.0
// KGB_SIMD: compiles a loop once per instruction set; the loader picks the one that the processor has.
#pragma once

// The sanitizers' runtime is not up yet when the loader resolves such functions.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    defined(__GNUC__) && !defined(__clang__)
#define KGB_SIMD __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define KGB_SIMD
#endif
