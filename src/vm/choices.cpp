// SPDX-License-Identifier: Apache-2.0
// What the machine chose where TTIR leaves a choice to later stages, in words.
#include <string>

#include "vm/vm.hpp"

namespace kgb::vm {
namespace {

std::string yes_no(bool value) {
  return value ? "yes" : "no";
}

}  // namespace

Options judging_options() {
  Options options;
  // A GPU gives a value and goes on; lanes that are masked off may divide by zero.
  options.check_division = false;
  return options;
}

std::vector<Choice> choices(const Options& options) {
  static constexpr const char* tf32[] = {"round", "truncate", "ieee"};
  return {
      {"tf32", tf32[static_cast<std::size_t>(options.tf32)],
       "f32 operands of tl.dot whose input precision is tf32", true},
      {"poison_masked", yes_no(options.poison_masked),
       "lanes that a masked load without `other` leaves open hold a poison pattern, else zero", true},
      {"fp8_saturate", yes_no(options.fp8_saturate),
       "values beyond the range of fp8 become the largest finite one, else NaN (e4m3) or infinity (e5m2)",
       true},
      {"reorder", yes_no(options.reorder), "tt.cat and tt.reshape allow_reorder reverse the order", true},
      {"check_division", yes_no(options.check_division), "an integer division by zero is a finding", true},
      {"contraction", yes_no(options.contraction),
       "a * b + c is one rounding where both stand in one block, else two; tl.dot has rules of its own",
       true},
      {"flush_denormals", yes_no(options.flush_denormals),
       "f32 denormals are zeros in libdevice, floor, ceil, exp2, sqrt, rsqrt and atomic addition", true},
      {"exact_remainder", yes_no(options.exact_remainder), "x % y of floats is fmod, else x - trunc(x / y) y",
       true},
      {"reduction", "fixed tree", "x[i] with x[i + n/2], whatever the threads and the layout"},
      {"scan", "fixed tree", "both halves, then the left total onto the right half"},
      {"division", "ieee", "f32 division and square root round to nearest"},
      {"functions", "below 2 ulp", "exp, log, sin and the others"},
      {"e5m2_to_bf16", "no special values", "infinity and NaN become 65536 to 114688, as on sm_90"},
      {"float_to_int", "saturate", "out of range as PTX cvt.rzi; NaN is 0"},
      {"shift", "clamp", "by the width or more: 0, or the sign"},
      {"dot_scaled", "bf16 or f16", "scaled operands are rounded to 16 bits, as on sm_90"},
      {"map_pack", "neighbours", "which elements one call of tl.map_elementwise gets"},
      {"atomics", "program order", "the lanes of a program in order; old values are exact"},
  };
}

}  // namespace kgb::vm
