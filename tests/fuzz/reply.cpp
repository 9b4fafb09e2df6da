// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a model's reply. The first byte chooses the wire, the second how the rest is cut;
// cut bytes must read as whole ones do.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "llm/wire.hpp"

namespace {

using kgb::llm::Reply;
using kgb::llm::Wire;

Reply read(Wire wire, std::string_view bytes, std::size_t piece) {
  kgb::llm::ReplyReader reader(wire);
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    reader.feed(bytes.substr(0, piece));
  return reader.finish();
}

bool sane(const Reply& reply) {
  const kgb::llm::Usage& usage = reply.usage;
  if (reply.complete && !reply.error.empty()) return false;
  return !usage.known ||
         (usage.prompt >= 0 && usage.cached >= 0 && usage.cached <= usage.prompt && usage.completion >= 0 &&
          usage.reasoning >= 0 && usage.reasoning <= usage.completion);
}

bool same(const Reply& a, const Reply& b) {
  return a.text == b.text && a.reasoning == b.reasoning && a.finish == b.finish && a.complete == b.complete &&
         a.error == b.error && a.usage.known == b.usage.known && a.usage.prompt == b.usage.prompt &&
         a.usage.completion == b.usage.completion;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const Wire wire = static_cast<Wire>(data[0] % 3);
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 2, size - 2);
  const Reply whole = read(wire, bytes, bytes.size() + 1);
  if (!sane(whole) || !same(whole, read(wire, bytes, data[1] % 32 + 1))) std::abort();
  return 0;
}
