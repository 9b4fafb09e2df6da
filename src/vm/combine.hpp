// SPDX-License-Identifier: Apache-2.0
// The region of tt.reduce, tt.scan and tt.map_elementwise: run on whole spans of lanes where every operation
// in it works lane by lane, else lane after lane.
#pragma once

#include "vm/builder.hpp"

namespace kgb::vm {

// Whether the operation is one of the three and its region can run on spans: one block without control,
// calls, memory or tiles.
[[nodiscard]] bool lane_by_lane(const RawOp& op);

// Checks that the region takes `arguments` scalars and yields `results`, given by their element types, and
// gives its values room for `lanes`. False: malformed.
bool check_region(Builder& b, const std::vector<DType>& arguments, const std::vector<DType>& results,
                  std::int64_t lanes);

// Where the region of this tt.reduce, with imm set, is that of tl.argmax or its like over f32 or i32: gives
// the instruction the kernel for it and drops the region.
void use_arg_reducer(Builder& b);

class Combiner {
 public:
  Combiner(Frame& frame, const Code& code, std::int64_t max_lanes);
  // Where argument k's lanes go before run(), and where result k's lie after it.
  [[nodiscard]] std::byte* argument(std::size_t k) const { return arguments_[k]; }
  [[nodiscard]] const std::byte* result(std::size_t k) const { return results_[k]; }
  // False: the program instance has ended with a finding.
  bool run(std::int64_t lanes);

 private:
  bool run_spans(std::int64_t lanes);
  bool run_lanes(std::int64_t lanes);

  Frame& frame_;
  const Code& code_;
  bool spans_ = false;
  std::vector<std::byte*> arguments_;
  std::vector<const std::byte*> results_;
  std::vector<std::vector<std::byte>> owned_;  // lane after lane: arguments, then results
};

}  // namespace kgb::vm
