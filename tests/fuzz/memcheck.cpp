// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a report of compute-sanitizer. What is read of them can be told, and is bounded.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.hpp"
#include "judge/memcheck_report.hpp"

namespace {

bool sane(const kgb::MemoryError& error) {
  constexpr std::size_t kMostText = 2048;
  for (const std::string* text :
       {&error.kernel, &error.file, &error.thread, &error.block, &error.address, &error.place})
    if (!kgb::is_utf8(*text) || text->size() > kMostText || text->find('\n') != std::string::npos)
      return false;
  return error.bytes >= 0 && error.line >= 0 && kgb::is_utf8(kgb::describe(error));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const kgb::MemcheckReport report = kgb::memcheck_report({reinterpret_cast<const char*>(data), size});
  if (report.errors.size() > kgb::kMostMemoryErrors || !kgb::is_utf8(report.complaint)) std::abort();
  if (report.total && *report.total < 0) std::abort();
  for (const kgb::MemoryError& error : report.errors)
    if (!sane(error)) std::abort();
  return 0;
}
