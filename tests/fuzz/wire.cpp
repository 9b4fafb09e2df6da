// SPDX-License-Identifier: Apache-2.0
// Fuzz target: what other processes may send. The first byte picks the reader: q a trial request and r a
// trial's reply, each with 64 bytes of blob, s an author's result stream.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "author/result_stream.hpp"
#include "model/trial.hpp"

namespace {

void read_request(std::string_view text) {
  // A blob of 64 bytes: what the sizes in the text claim of it may not be so.
  const std::vector<std::byte> blob(64);
  std::string_view recording;
  std::int64_t id = 0;
  const auto request = kgb::trial_request_from_json(text, blob, recording, id);
  if (!request.ok()) return;
  const std::string again = kgb::to_json_text(*request, id);
  const std::vector<std::byte> bytes = kgb::blob_of(*request, recording);
  if (!kgb::trial_request_from_json(again, bytes, recording, id).ok()) std::abort();
}

void read_reply(std::string_view text) {
  const auto result = kgb::trial_result_from_json(text, std::vector<std::byte>(64), 1);
  if (!result.ok()) return;
  std::size_t seen = 0;
  for (const kgb::TrialOutput& output : result->outputs)
    for (const std::byte byte : result->bytes_of(output)) seen += static_cast<std::size_t>(byte) + 1;
  if (seen > result->outputs.size() * 64) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] == 'q') read_request(text);
  if (data[0] == 'r') read_reply(text);
  if (data[0] == 's') (void)kgb::author::parse_result_stream(text, "nonce", false);
  return 0;
}
