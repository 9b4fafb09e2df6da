// SPDX-License-Identifier: Apache-2.0
// Reads the first error off NVRTC's log.
#include "base/text.hpp"
#include "compiler/cuda_compiler.hpp"
#include "compiler/nvrtc.hpp"

namespace kgb {
namespace {

// The number behind `mark`: 12 of "... at line 12 of candidate.cu".
int number_behind(const std::string& line, const std::string& mark) {
  const std::size_t at = line.find(mark);
  if (at == std::string::npos) return 0;
  std::string digits;
  for (std::size_t i = at + mark.size(); i < line.size() && line[i] >= '0' && line[i] <= '9'; ++i)
    digits += line[i];
  return static_cast<int>(parse_int(digits).value_or(0));
}

}  // namespace

CudaComplaint complaint_in_log(const std::string& log) {
  const std::string own = std::string(kCudaFile) + "(";
  CudaComplaint found;
  for (const std::string& line : split_lines(log)) {
    const std::size_t mark = line.find("error");
    const std::size_t colon = mark == std::string::npos ? mark : line.find(": ", mark);
    if (found.message.empty() && colon != std::string::npos) {
      found.message = to_utf8_lossy(cut_utf8(line.substr(colon + 2), 500));
      if (line.starts_with(own)) found.line = number_behind(line, own);
    }
    // An error inside a header or a template: the line of the candidate that led there stands below.
    if (found.line == 0 && !found.message.empty() &&
        line.find(std::string("of ") + kCudaFile) != std::string::npos)
      found.line = number_behind(line, "at line ");
  }
  if (found.message.empty()) found.message = first_line(log);
  if (found.message.empty()) found.message = "the compiler gave no reason";
  return found;
}

}  // namespace kgb
