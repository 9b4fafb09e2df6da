// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as what ncu prints. Whatever is read of them can be told and is a share, or a
// number.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/text.hpp"
#include "report/ncu_csv.hpp"

namespace {

bool is_share(double share) {
  return share >= 0 && share <= 1 + 1e-9;
}

bool sane(const kgb::NcuKernel& kernel) {
  for (const auto& [key, value] : kernel.metrics)
    if (!std::isfinite(value) || value < 0) return false;
  for (const kgb::Stall& stall : kernel.stalls)
    if (!is_share(stall.share) || !kgb::is_utf8(stall.reason)) return false;
  return kgb::is_utf8(kernel.name);
}

bool sane(const kgb::NcuSource& source) {
  for (const kgb::NcuLine& line : source.lines)
    if (!is_share(line.share) || line.line < 1 || !kgb::is_utf8(line.file)) return false;
  return kgb::is_utf8(source.kernel);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const kgb::NcuKernel& kernel : kgb::ncu_kernels(text))
    if (!sane(kernel)) std::abort();
  for (const kgb::NcuSource& source : kgb::ncu_source(text))
    if (!sane(source)) std::abort();
  return 0;
}
