// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any text as a recording. One that is accepted must read the same when it is written and read
// again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "model/launch_plan.hpp"

namespace {

// What the recordings of the corpus were asked for: one call with a tensor of eight f32.
std::vector<kgb::Call> calls() {
  kgb::TensorSpec self;
  self.shape = {8};
  self.strides = {1};
  self.storage = 8;
  kgb::Call call{"aten::relu", "relu", "s1", {}};
  call.args.push_back({"self", self, false});
  return {call};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<kgb::Call> asked = calls();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto recording = kgb::recording_from_json(text, asked);
  if (!recording.ok()) return 0;
  const std::string hash = kgb::canonical_hash(*recording, 123, 0);
  const auto again = kgb::recording_from_json(kgb::to_json_text(*recording), asked);
  if (!again.ok() || kgb::canonical_hash(*again, 123, 0) != hash) std::abort();
  return 0;
}
