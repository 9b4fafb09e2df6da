// SPDX-License-Identifier: Apache-2.0
// A launch with all checks: the sanitized run, then runs in other orders and with other undefined values.
#pragma once

#include "vm/sanitize.hpp"

namespace kgb::vm {

struct LaunchChecks {
  bool orders = true;  // forward, reversed and shuffled runs must leave the same bits
  bool undefined =
      true;  // nor may they depend on lanes that are loaded with a mask and no `other`, or divided by 0
  // Floats may differ by this part of their size where instances add atomically or under a lock, since the
  // order of a sum shows in its last bits; of two-byte floats 16 times as much, of f64 a 1000th. 0: bit by
  // bit.
  double float_tolerance = 1e-3;
};

// `how.sanitizer` must be set, and the program be Build::checked. Memory is left as the first run leaves it.
// Kinds of findings besides those of run(): "order_dependence", "undefined_value", "division_by_zero".
RunResult run_sanitized(const Program& program, std::span<const Arg> args, const Memory& memory,
                        const RunOptions& how, const Options& options, const LaunchChecks& checks = {});

}  // namespace kgb::vm
