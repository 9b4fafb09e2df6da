// SPDX-License-Identifier: Apache-2.0
// What compute-sanitizer's memcheck wrote about a process: hostile text, since kernels choose their names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgb {

// One access of a kernel.
struct MemoryError {
  std::string access;      // "read", "write", "atomic"
  std::string space;       // "global", "shared", "local"
  std::int64_t bytes = 0;  // of the access
  std::string kernel;      // without its parameters
  std::string file;        // as the compiler was told; empty: unknown
  int line = 0;
  std::string thread, block;  // "(3,0,0)"
  std::string address;        // "0x7f5be493f200"
  bool misaligned = false;
  bool inside =
      false;          // of an allocation: nothing is out of bounds there, whatever the tool holds against it
  std::string place;  // "1889 bytes after the nearest allocation, of size 160 bytes"; empty: not told
};

struct MemcheckReport {
  std::vector<MemoryError> errors;    // the first kMostMemoryErrors
  std::optional<std::int64_t> total;  // of the summary, everything the tool counted; nullopt: it did not end
  std::string complaint;              // the first line that is no memory error; empty: none
};
inline constexpr std::size_t kMostMemoryErrors = 64;

// Never fails: what is not understood is a complaint.
[[nodiscard]] MemcheckReport memcheck_report(std::string_view text);

// "a write of 4 bytes at 0x7f.., 1889 bytes after the nearest allocation, of size 160 bytes"
[[nodiscard]] std::string describe(const MemoryError& error);

}  // namespace kgb
